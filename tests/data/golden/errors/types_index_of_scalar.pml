byte x;

active proctype worker() {
    x[0] = 1
}
