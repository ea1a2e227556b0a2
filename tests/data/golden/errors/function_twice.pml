function f() { skip }
function f() { skip }
active proctype P()
{
    f()
}
