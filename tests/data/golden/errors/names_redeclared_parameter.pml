proctype worker(byte x) {
    byte x = 2;
    skip
}

init {
    run worker(1)
}
