typedef T { byte x };
T *p;
byte n;
function f(T *a; byte b) : T * { return a }
active proctype P()
{
    p = f(p);
    p = f(n, n);
    n = f(p, n)
}
