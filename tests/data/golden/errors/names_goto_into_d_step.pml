byte x;

active proctype worker() {
    if
    :: x == 0 -> goto inside
    :: else
    fi;
    d_step {
        x = 1;
inside:
        x = 2
    }
}
