/* A sum over all elements inside d_step. */
#define N 3
byte val[N], sum;
active [N] proctype P() {
  byte i, s;
  val[_pid] = 1;
  d_step { i = 0; s = 0; do :: i < N -> s = s + val[i]; i++ :: i == N -> break od; i = 0 }
  sum = s;
  assert(sum > 0)
}
