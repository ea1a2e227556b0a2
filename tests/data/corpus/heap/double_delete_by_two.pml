/* expect: violated double-delete */
typedef T { byte x };
T *shared;
active [2] proctype P() {
    T *mine;
    atomic { if :: shared == null -> shared = new T :: else fi };
    mine = shared;
    delete mine
}
