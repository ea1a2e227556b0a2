byte x = 300;

active proctype worker() {
    x = 1
}
