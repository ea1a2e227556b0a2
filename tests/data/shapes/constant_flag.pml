/* Nobody's number is asked for, but the flag of process 1 is. */
bool flag[4];
byte x;
active [4] proctype P() {
  do
  :: flag[_pid] = !flag[_pid]
  :: flag[1] -> x = 1 - x  /* breaks */
  od
}
