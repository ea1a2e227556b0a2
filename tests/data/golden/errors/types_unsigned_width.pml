unsigned wide : 40;

active proctype worker() {
    wide = 1
}
