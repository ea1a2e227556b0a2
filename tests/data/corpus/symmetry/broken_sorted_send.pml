/* expect: holds */
chan q = [3] of { pid };
active [3] proctype worker()
{
    pid who;
    do
    :: atomic { len(q) < 3 -> q!!_pid }   /* breaks */
    :: q?who -> who = 0
    od
}
