/* expect: holds */
byte sum, turn;
active [3] proctype worker()
{
    byte mine;
    do
    :: atomic { sum < 6 -> mine = _pid; turn = mine }
    :: atomic { turn == _pid && sum < 6 -> sum = sum + turn }   /* breaks */
    :: atomic { sum >= 6 -> sum = 0 }
    od
}
