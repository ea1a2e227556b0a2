byte x;

active proctype worker() {
    x.value = 1
}
