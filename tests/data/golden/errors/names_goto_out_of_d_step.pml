byte x;

active proctype worker() {
    d_step {
        x = 1;
        if
        :: x == 1 -> goto done
        :: else
        fi;
        x = 2
    };
    x = 3;
done:
    x = 4
}
