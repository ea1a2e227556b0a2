/* expect: holds */
bool answer[4];
function even(byte n) : bool
{
    bool b;
    if :: n == 0 -> return true :: else fi;
    b = odd(n - 1);
    return b
}
function odd(byte n) : bool
{
    bool b;
    if :: n == 0 -> return false :: else fi;
    b = even(n - 1);
    return b
}
active proctype P() {
    byte i;
    for (i : 0 .. 3) { answer[i] = even(i) };
    assert(answer[0] && !answer[1] && answer[2] && !answer[3])
}
