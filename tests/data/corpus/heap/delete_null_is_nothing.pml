/* expect: holds */
typedef T { byte x };
active proctype P() {
    T *p;
    delete p;
    delete(p);
    p = new T;
    delete p
}
