byte x;

active proctype worker() {
    do
    :: x < 3 -> x++
    :: else -> break
    x = 0
}
