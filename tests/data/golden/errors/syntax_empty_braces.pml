byte x;

active proctype worker() {
    x = 1;
    atomic { };
    x = 2
}
