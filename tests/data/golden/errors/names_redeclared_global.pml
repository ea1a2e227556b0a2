byte x;
int x;

active proctype worker() {
    x = 1
}
