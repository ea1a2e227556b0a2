byte x;

active proctype worker() {
    x = -1
}
