/* The filter lock; the wait at a level looks at everybody in one step. */
#define N 3
byte level[N], last[N], in;
active [N] proctype P() {
  byte l;
  bool wait;
  byte k;
  do
  :: l = 1;
     do
     :: l < N ->
        level[_pid] = l;
        last[l] = _pid;
        do
        :: atomic {
             wait = false; k = 0;
             do
             :: k < N -> if :: k != _pid && level[k] >= l -> wait = true :: else fi; k++
             :: else -> break
             od;
             wait = wait && last[l] == _pid; k = 0
           };
           if :: wait :: else -> break fi
        od;
        l++
     :: else -> break
     od;
     in++; assert(in == 1); in--;
     level[_pid] = 0
  od
}
