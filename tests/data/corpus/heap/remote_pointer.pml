/* expect: holds */
typedef T { byte x };
proctype Q() {
    T *mine;
    mine = new T;
    mine->x = 5
endwait:
    false
}
init {
    pid q;
    q = run Q();
    Q[q]@endwait -> assert(Q[q]:mine->x == 5)
end:
    false
}
