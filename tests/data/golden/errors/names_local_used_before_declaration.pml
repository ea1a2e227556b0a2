active proctype worker() {
    x = 1;
    byte x;
    x = 2
}
