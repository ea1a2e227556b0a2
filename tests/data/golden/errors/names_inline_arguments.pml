inline increase(v, amount) {
    v = v + amount
}

byte x;

active proctype worker() {
    increase(x)
}
