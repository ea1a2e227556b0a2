active proctype worker() {
    hidden byte scratch;
    scratch = 1
}
