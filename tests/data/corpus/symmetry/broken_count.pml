/* expect: violated deadlock */
byte seen;
active [3] proctype worker()
{
    atomic { _nr_pr > 1 -> seen = _nr_pr };   /* breaks */
    skip
}
