byte count;

active proctype first() {
    coumt = 1;
    count = 2;
    goto nowhere
}

active proctype second() {
    count.field = 3;
    run third(1)
}
