active proctype worker() {
start:
    byte x;
    x = 1;
    goto start
}
