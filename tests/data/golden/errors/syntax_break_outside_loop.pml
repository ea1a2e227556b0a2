byte x;

active proctype worker() {
    if
    :: x == 0 -> break
    :: else -> skip
    fi
}
