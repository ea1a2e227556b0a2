byte x;

active proctype first() {
    x = = 1;
    x = 2
}

active proctype second() {
    goto 7;
    if
    :: x == 0 x = 1
    fi
}

active proctype third() {
    assert x == 2)
}
