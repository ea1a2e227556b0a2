/* expect: holds */
pid turn;
active [3] proctype worker()
{
    do
    :: atomic { turn < _pid -> turn = _pid }   /* breaks */
    :: atomic { turn == _pid -> turn = 0 }
    od
}
