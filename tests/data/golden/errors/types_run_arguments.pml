proctype worker(byte n; bit b) {
    skip
}

init {
    run worker(1)
}
