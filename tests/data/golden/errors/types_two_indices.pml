byte a[3];

active proctype worker() {
    a[0][1] = 1
}
