byte x, y;

active proctype worker() {
    x = 1 y = 2;
    x = y
}
