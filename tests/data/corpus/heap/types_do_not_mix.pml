/* expect: holds */
typedef T { byte x };
typedef U { byte y; byte z };
active proctype P() {
    T *p;
    U *u;
    p = new T;
    delete p;
    u = new U;
    u->z = 1;
    p = new T;
    assert(p->x == 0)
}
