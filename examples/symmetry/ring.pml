/* Philosophers round a table: everybody takes the left fork first, so all can wait for each other.
   Rotations of the table are symmetries; no two philosophers can simply change places. */
#define N 4
bool taken[N];

active [N] proctype philosopher()
{
    do
    :: atomic { !taken[_pid] -> taken[_pid] = true };
       atomic { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true };
       taken[_pid] = false;
       taken[(_pid + 1) % N] = false
    od
}
