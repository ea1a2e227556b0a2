function f(byte x) : byte { return x }
byte n;
active proctype P()
{
    n = f(1) + 1;
    assert(f(2) == 2)
}
