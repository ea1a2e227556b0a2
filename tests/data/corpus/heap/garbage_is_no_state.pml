/* expect: holds; options: --max-objects 4 */
typedef T { T *next };
active proctype P() {
    T *p, *q;
    do
    :: q = new T; q->next = p; p = q; p->next = null
    od
}
