/* expect: violated use-after-delete */
typedef T { byte x };
active proctype P() {
    T *p, *r;
    p = new T;
    delete p;
    r = new T;
    p->x = 1
}
