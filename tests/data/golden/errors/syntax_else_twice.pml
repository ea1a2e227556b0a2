byte x;

active proctype worker() {
    if
    :: x == 1 -> skip
    :: else -> x = 1
    :: else -> x = 2
    fi
}
