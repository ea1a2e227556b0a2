byte x;

active proctype worker() {
    if
    :: (x = 1) -> x = 2
    :: else -> skip
    fi
}
