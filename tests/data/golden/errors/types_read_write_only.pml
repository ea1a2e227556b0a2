byte x;

active proctype worker() {
    x = _ + 1
}
