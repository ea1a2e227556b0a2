byte x;

active proctype worker() {
    x = eval(3)
}
