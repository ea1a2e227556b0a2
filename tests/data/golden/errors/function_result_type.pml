typedef T { byte x };
T *p;
function f() : T * { return 1 }
active proctype P()
{
    p = f()
}
