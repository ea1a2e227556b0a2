byte timeout;

active proctype worker() {
    skip
}
