/* expect: holds */
scalarset(3) Value;
chan source = [1] of { byte };
Value seen;

proctype writer(chan out)
{
    do
    :: out!1          /* breaks */
    od
}

proctype reader(chan in)
{
    Value v;
    do
    :: in?v; seen = v; v = undefined
    :: select (v : Value)
    od
}

init { atomic { run writer(source); run reader(source) } }
