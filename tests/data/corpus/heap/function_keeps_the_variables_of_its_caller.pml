/* expect: holds */
byte a[3];
function fill(byte i) : byte
{
    byte j = i + 1;
    if
    :: j < 3 -> a[j] = fill(j)      /* where the result goes is found when the call is over */
    :: else
    fi;
    assert(j == i + 1);
    return j
}
active proctype P() {
    byte i = 7;
    a[0] = fill(0);
    assert(i == 7 && a[0] == 1 && a[1] == 2 && a[2] == 3)
}
