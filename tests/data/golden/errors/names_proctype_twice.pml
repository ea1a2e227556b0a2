active proctype worker() {
    skip
}

active proctype worker() {
    skip
}
