byte x;

active proctype worker() {
    if
    :: atomic { x == 0; x = 1
    :: else -> skip
    fi
}
