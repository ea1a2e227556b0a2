proctype worker() {
    skip
}

init {
    byte n;
    n = 1 + run worker()
}
