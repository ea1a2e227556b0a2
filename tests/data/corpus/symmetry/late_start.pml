/* expect: holds; why: the processes are started one by one: nothing is folded before all run */
byte x;
bool want[4];
proctype worker()
{
    do
    :: atomic { x == 0 -> x = 1; want[_pid] = true };
       want[_pid] = false;
       x = 0
    od
}
init {
    byte i;
    do
    :: i < 3 -> run worker(); i++
    :: else -> break
    od
}
