/* expect: holds */
byte inside;
bool taken;
function enter(byte n) : byte
{
    byte r;
    atomic { !taken -> taken = true; inside++ };
    assert(inside == 1);
    if
    :: n > 0 -> inside--; taken = false; r = enter(n - 1)
    :: else -> inside--; taken = false
    fi;
    return r + 1
}
active [3] proctype P() {
    byte n;
    n = enter(1);
    assert(n == 2)
}
