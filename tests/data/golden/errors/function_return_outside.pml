function f() { skip }
active proctype P()
{
    f();
    return
}
