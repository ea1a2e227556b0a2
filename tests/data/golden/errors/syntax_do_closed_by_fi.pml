byte x;

active proctype worker() {
    do
    :: x < 3 -> x++
    :: else -> break
    fi;
    x = 0
}
