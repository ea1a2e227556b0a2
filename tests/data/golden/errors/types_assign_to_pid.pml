active proctype worker() {
    _pid = 3
}
