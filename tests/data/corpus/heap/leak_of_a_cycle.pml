/* expect: violated leak; options: --leaks */
typedef T { T *next };
T *p;
active proctype P() {
    p = new T;
    p->next = new T;
    p->next->next = p;
    p = null
}
