/* Burns: those with a smaller number go first: not symmetric. */
#define N 3
bool flag[N];
byte in;
active [N] proctype P() {
  byte j;
start:
  flag[_pid] = false;
  j = 0;
  do
  :: j < _pid -> if :: flag[j] -> goto start :: else fi; j++  /* breaks */
  :: else -> break
  od;
  flag[_pid] = true;
  j = 0;
  do
  :: j < _pid -> if :: flag[j] -> goto start :: else fi; j++  /* breaks */
  :: else -> break
  od;
  j = _pid + 1;
  do
  :: j < N -> !flag[j]; j++
  :: else -> break
  od;
  in++; assert(in == 1); in--;
  goto start
}
