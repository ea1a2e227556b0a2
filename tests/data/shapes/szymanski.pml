/* Szymanski's algorithm with its loops in atomic blocks that wait for the whole condition. */
#define N 2
byte flag[N], in;
active [N] proctype P() {
  byte j;
  bool ok;
  do
  :: flag[_pid] = 1;
     do
     :: d_step {
          ok = true; j = 0;
          do :: j < N -> if :: flag[j] >= 3 -> ok = false :: else fi; j++ :: else -> break od;
          j = 0
        };
        if :: ok -> break :: else fi
     od;
     flag[_pid] = 3;
     do
     :: d_step {
          ok = true; j = 0;
          do :: j < N -> if :: j != _pid && flag[j] == 3 -> ok = false :: else fi; j++ :: else -> break od;
          j = 0
        };
        if :: ok -> break :: else -> flag[_pid] = 1; flag[_pid] = 3 fi
     od;
     in++; assert(in == 1); in--;
     flag[_pid] = 0
  od
}
