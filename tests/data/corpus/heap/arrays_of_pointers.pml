/* expect: holds */
typedef T { byte x; T *link[2] };
T *a[3];
active proctype P() {
    byte i;
    for (i : 0 .. 2) { a[i] = new T; a[i]->x = i }
    a[0]->link[1] = a[2];
    a[0]->link[1]->link[0] = a[1];
    assert(a[0]->link[1]->link[0]->x == 1)
}
