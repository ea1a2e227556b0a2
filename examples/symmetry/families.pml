/* Three readers and two writers: two families, each symmetric by itself. */
byte readers, writers;
pid last_writer;

proctype reader()
{
    do
    :: atomic { writers == 0 -> readers++ };
       assert(writers == 0);
       readers--
    od
}

proctype writer()
{
    do
    :: atomic { readers == 0 && writers == 0 && last_writer != _pid -> writers++ };
       assert(writers == 1 && readers == 0);
       atomic { writers--; last_writer = _pid }
    od
}

init {
    atomic { run reader(); run reader(); run reader(); run writer(); run writer() }
}
