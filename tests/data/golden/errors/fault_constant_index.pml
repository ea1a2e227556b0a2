byte a[3];

active proctype worker() {
    a[3] = 1
}
