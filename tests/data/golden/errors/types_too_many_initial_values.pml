byte a[2] = { 1, 2, 3 };

active proctype worker() {
    a[0] = 1
}
