active proctype worker() {
    integer n;
    n = 1
}
