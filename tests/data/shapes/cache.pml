/* A bus that invalidates all other caches inside d_step. */
#define N 3
mtype = { invalid, shared, modified };
mtype line[N] = invalid;
active [N] proctype Cache() {
  byte i;
  do
  :: d_step { line[_pid] == invalid;
       i = 0;
       do :: i < N -> if :: line[i] == modified -> line[i] = shared :: else fi; i++ :: else -> break od;
       line[_pid] = shared; i = 0 }
  :: d_step { line[_pid] != modified;
       i = 0;
       do :: i < N -> line[i] = invalid; i++ :: else -> break od;
       line[_pid] = modified; i = 0 }
  :: line[_pid] == modified -> assert(line[(_pid + 1) % N] == invalid && line[(_pid + 2) % N] == invalid);
     line[_pid] = invalid
  od
}
