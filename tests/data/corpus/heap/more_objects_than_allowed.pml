/* expect: incomplete; options: --max-objects 4 --symmetry none */
typedef T { T *next };
T *head, *n;
active proctype P() {
    do
    :: n = new T; n->next = head; head = n
    od
}
