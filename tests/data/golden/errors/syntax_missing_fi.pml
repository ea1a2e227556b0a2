byte x;

active proctype worker() {
    if
    :: x == 0 -> x = 1
    :: else -> skip
}

active proctype other() {
    x = 2
}
