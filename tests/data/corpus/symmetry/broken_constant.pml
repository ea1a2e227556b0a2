/* expect: violated assertion */
byte inside;
bool may[3] = { 0, 1, 1 };   /* it never changes */
active [3] proctype worker()
{
    do
    :: may[_pid] -> inside++; assert(inside < 2); inside--
    :: !may[_pid] && inside == 0 -> inside++; inside--   /* breaks */
    od
}
