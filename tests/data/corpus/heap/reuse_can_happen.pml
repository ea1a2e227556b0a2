/* expect: violated assertion */
typedef T { byte x };
active proctype P() {
    T *p, *r;
    p = new T;
    delete p;
    r = new T;
    assert(r != p)
}
