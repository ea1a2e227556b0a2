function f() { skip }
active proctype P()
{
    atomic { f(); skip };
    { f() } unless { false }
}
