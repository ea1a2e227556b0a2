boolean ready;

active proctype worker() {
    skip
}
