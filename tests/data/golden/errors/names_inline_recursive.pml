byte x;

inline count(v) {
    v++;
    count(v)
}

active proctype worker() {
    count(x)
}
