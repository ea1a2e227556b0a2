/* expect: holds */
byte load;
proctype worker(byte weight)
{
    do
    :: atomic { load + weight < 5 -> load = load + weight };   /* breaks */
       load = load - weight
    od
}
init {
    atomic { run worker(1); run worker(2); run worker(2) }
}
