/* expect: violated assertion */
bool flag[3];
active [3] proctype worker()
{
    do
    :: flag[_pid] = true
    :: flag[_pid] = false
    :: assert(!flag[1])   /* breaks */
    od
}
