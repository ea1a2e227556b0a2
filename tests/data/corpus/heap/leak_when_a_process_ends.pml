/* expect: violated leak; options: --leaks */
typedef T { byte x };
active proctype P() {
    T *p;
    p = new T;
    p->x = 1
}
