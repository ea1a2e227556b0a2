/* A count over all others inside atomic, with `for`. */
#define N 3
bool busy[N];
byte i_saw;
active [N] proctype P() {
  byte i, others;
  do
  :: busy[_pid] = true;
     atomic {
       others = 0;
       for (i : 0 .. N - 1) {
         if
         :: i != _pid && busy[i] -> others++
         :: else
         fi
       }
       i_saw = others
     }
     busy[_pid] = false
  od
}
