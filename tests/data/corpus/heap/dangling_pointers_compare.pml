/* expect: holds */
typedef T { byte x };
active proctype P() {
    T *p, *q, *r;
    p = new T;
    q = p;
    delete p;
    assert(p == q && p != null);
    r = new T;
    if
    :: r == p -> assert(r == q); p->x = 1; assert(r->x == 1)   /* its place was used again */
    :: r != p -> assert(r != q)
    fi
}
