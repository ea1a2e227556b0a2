byte worker;

active proctype worker() {
    skip
}
