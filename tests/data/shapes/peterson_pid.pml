/* Peterson for two with _pid, and a turn that is a pid. */
bool want[2];
pid turn;
byte in;
active [2] proctype P() {
  pid other = 1 - _pid;
  do
  :: want[_pid] = true;
     turn = other;
     (!want[other] || turn == _pid);
     in++; assert(in == 1); in--;
     want[_pid] = false
  od
}
