/* expect: violated assertion */
byte x;
active [3] proctype worker()
{
    do
    :: x = 0
    :: _pid == 2 ->   /* breaks */
       x = 1
    :: x == 1 -> assert(false)
    od
}
