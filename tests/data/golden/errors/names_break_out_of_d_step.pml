byte x;

active proctype worker() {
    do
    :: d_step {
        x++;
        if
        :: x == 3 -> break
        :: else
        fi
    }
    od
}
