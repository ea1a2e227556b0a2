/* expect: violated assertion */
byte inside;
bool may[3] = { 0, 0, 1 };   /* where runs begin does not tell processes apart */
active [3] proctype worker()
{
    do
    :: may[_pid] -> inside++; assert(inside < 2); inside--; may[_pid] = false
    :: !may[_pid] && inside == 0 -> may[_pid] = true
    od
}
