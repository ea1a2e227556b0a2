#define MAX(a, b) ((a) > (b) -> (a) : (b))

byte x;

active proctype worker() {
    x = MAX(3)
}
