/* expect: holds */
typedef T { byte x; bool ok };
T *p;
byte x;
active proctype P() {
    p = new T;
    if
    :: p -> x = 1
    :: !p -> assert(false)
    fi;
    assert(x == 1 && p->x == 0);
    if :: !p->ok -> p->ok = true fi;
    assert(p->ok)
}
