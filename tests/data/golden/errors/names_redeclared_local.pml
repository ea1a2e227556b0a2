active proctype worker() {
    byte x;
    x = 1;
    int x;
    x = 2
}
