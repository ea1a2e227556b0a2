/* The first that is free is taken: the order counts. */
#define N 3
bool busy[N];
byte chosen = N;
active [N] proctype P() {
  byte i;
  do
  :: d_step {
       i = 0;
       do
       :: i >= N -> break
       :: i < N && !busy[i] -> chosen = i; break  /* breaks */
       :: else -> i++
       od;
       i = 0
     }
  :: atomic { chosen == _pid -> chosen = N; busy[_pid] = !busy[_pid] }
  od
}
