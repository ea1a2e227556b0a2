/* expect: holds */
byte seen;
proctype worker()
{
    byte x;
    x = 1;
    x = 2
}
init {
    atomic { run worker(); run worker() };
    seen = worker[1]:x + worker[2]:x   /* breaks */
}
