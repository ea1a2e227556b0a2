byte x;

active proctype worker() {
    d_step {
        x = 1;
        { x = 2 } unless { x == 3 }
    }
}
