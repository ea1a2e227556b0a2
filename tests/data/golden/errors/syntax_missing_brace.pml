byte x;

active proctype worker() {
    atomic {
        x = 1;
        x = 2
}
