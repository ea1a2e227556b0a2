inline nothing() {
    skip
}

inline nothing() {
    skip
}

active proctype worker() {
    nothing()
}
