byte x, i;

active proctype worker() {
    for (i in x) {
        skip
    }
}
