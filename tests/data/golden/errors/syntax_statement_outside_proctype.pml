byte x;

x = 1;

active proctype worker() {
    x = 2
}
