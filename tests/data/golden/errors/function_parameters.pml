typedef T { byte x };
function f(T a) { skip }
function g(byte b[2]) { skip }
active proctype P()
{
    skip
}
