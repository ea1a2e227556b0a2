/* Dekker for two. */
bool want[2];
byte turn, in;
active [2] proctype P() {
  do
  :: want[_pid] = true;
     do
     :: want[1 - _pid] ->
        if
        :: turn == 1 - _pid -> want[_pid] = false; turn == _pid; want[_pid] = true
        :: else
        fi
     :: else -> break
     od;
     in++; assert(in == 1); in--;
     turn = 1 - _pid;
     want[_pid] = false
  od
}
