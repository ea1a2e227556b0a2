/* A monitor resets everything inside atomic. */
#define N 3
bool done[N];
active [N] proctype P() {
  do :: !done[_pid] -> done[_pid] = true od
}
active proctype Reset() {
  byte i;
  do
  :: atomic {
       done[0] && done[1] && done[2];
       i = 0;
       do :: i < N -> done[i] = false; i++ :: else -> break od
     }
  od
}
