/* Is anybody else there?  The loop ends at the first, and which one it is is forgotten. */
#define N 3
bool busy[N];
active [N] proctype P() {
  byte i;
  bool found;
  do
  :: d_step {
       found = false; i = 0;
       do
       :: i >= N -> break
       :: i < N && busy[i] -> found = true; break
       :: else -> i++
       od;
       i = 0
     };
     if
     :: found -> busy[_pid] = false
     :: else -> busy[_pid] = true
     fi
  od
}
