byte x;

active proctype worker() {
    d_step {
        x = 1;
        x == 2;
        x = 3
    }
}
