unsigned small;

active proctype worker() {
    small = 1
}
