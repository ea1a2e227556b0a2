/* expect: holds */
byte x;
proctype worker()
{
    do
    :: x == 0 -> x = 1
    :: x == 1 -> x = 0
    od
}
init priority 9 {
    atomic { run worker() priority 2;
             run worker() priority 5 }   /* breaks */
}
