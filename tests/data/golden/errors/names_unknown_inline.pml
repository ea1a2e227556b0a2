inline increase(v) {
    v++
}

byte x;

active proctype worker() {
    increse(x)
}
