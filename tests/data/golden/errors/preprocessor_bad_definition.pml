#define MAX(a, , b) a

active proctype worker() {
    skip
}
