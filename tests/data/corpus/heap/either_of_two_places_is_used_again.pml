/* expect: violated assertion */
typedef T { byte x };
byte seen;
active proctype P() {
    T *p, *q, *r;
    p = new T;
    q = new T;
    delete p;
    delete q;
    r = new T;
    assert(r != q)        /* the last that was deleted, as most allocators would choose */
}
