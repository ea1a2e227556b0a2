byte x;

proctype worker() {
    x = 1
}
