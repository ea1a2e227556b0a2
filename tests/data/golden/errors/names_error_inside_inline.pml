byte x;

inline increase(v) {
    v = v + amount
}

active proctype worker() {
    increase(x)
}
