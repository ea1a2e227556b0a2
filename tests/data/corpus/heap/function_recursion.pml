/* expect: holds */
function fact(byte n) : int
{
    int r;
    if
    :: n == 0 -> return 1
    :: else -> r = fact(n - 1); return n * r
    fi
}
active proctype P() {
    int x;
    x = fact(5);
    assert(x == 120);
    fact(3);
    assert(x == 120)
}
