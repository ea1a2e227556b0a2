byte n = 3;
byte a[n];

active proctype worker() {
    a[0] = 1
}
