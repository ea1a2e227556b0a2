proctype worker(byte a[3]) {
    skip
}

init {
    skip
}
