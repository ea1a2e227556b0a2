byte a[0];

active proctype worker() {
    skip
}
