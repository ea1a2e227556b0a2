byte narrow : 4;

active proctype worker() {
    narrow = 1
}
