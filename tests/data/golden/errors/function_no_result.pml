byte n;
function f(byte x) { n = x }
function g() { return 1 }
active proctype P()
{
    n = f(1);
    g()
}
