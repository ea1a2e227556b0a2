bit b;

active proctype worker() {
    b = 2
}
