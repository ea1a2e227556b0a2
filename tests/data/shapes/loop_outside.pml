/* A loop over all others, one step after the other: who is looked at first counts. */
#define N 3
bool want[N];
byte in;
active [N] proctype P() {
  byte j;
  want[_pid] = true;
  j = 0;
  do
  :: j < N -> (j == _pid || !want[j]); j++  /* breaks */
  :: else -> break
  od;
  in++; assert(in == 1); in--;
  want[_pid] = false
}
