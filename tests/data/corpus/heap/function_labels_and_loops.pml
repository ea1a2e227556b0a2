/* expect: holds */
function count(byte n) : byte
{
    byte i;
again:
    if
    :: i < n -> i++; goto again
    :: else
    fi;
    do
    :: i > 2 -> i--
    :: else -> break
    od;
    return i
}
active proctype P() {
    byte x;
again:
    x = count(x + 2);
    if :: x < 2 -> goto again :: else fi;
    assert(x == 2)
}
