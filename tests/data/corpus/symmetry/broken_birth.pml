/* expect: holds */
byte born;
proctype child()
{
    born++;
    born--
}
active [2] proctype worker()
{
    do
    :: atomic { born == 0 && _nr_pr < 4 -> run child() }   /* breaks */
    :: born == 1 -> skip
    od
}
