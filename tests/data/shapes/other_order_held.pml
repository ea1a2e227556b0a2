/* Numbers in another order than pids, held in a variable. */
byte owner = 9, uses[3];
proctype P(byte me) {
  do
  :: atomic { owner == 9 -> owner = me }
  :: owner == me -> uses[owner] = 1; uses[me] = 0; owner = 9
  od
}
init { atomic { run P(2); run P(0); run P(1) } }
