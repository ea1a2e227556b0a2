byte x;

active proctype worker() {
    byte x = 1;
    x++
}
