/* Numbers in another order than pids. */
byte stage[3];
proctype P(byte me) {
  do
  :: stage[me] == 0 -> stage[me] = 1
  :: stage[me] == 1 -> stage[me] = 2
  :: stage[me] == 2 -> stage[me] = 0
  od
}
init { atomic { run P(2); run P(0); run P(1) } }
