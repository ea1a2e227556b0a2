byte x;

active proctype worker() {
again:
    d_step {
        x = 1;
        x = 2
    };
    goto again
}
