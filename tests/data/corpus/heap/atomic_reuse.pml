/* expect: violated assertion */
typedef T { byte x };
T *old;
active [2] proctype P() {
    T *p;
    atomic { p = new T; old = p; p->x = _pid };
    atomic { delete p; p = new T; assert(p != old) }
}
