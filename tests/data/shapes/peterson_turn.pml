/* Peterson for two with 1 - i. */
bool want[2];
byte turn, in;
proctype P(byte i) {
  do
  :: want[i] = true;
     turn = 1 - i;
     (!want[1 - i] || turn == i);
     in++; assert(in == 1); in--;
     want[i] = false
  od
}
init { atomic { run P(0); run P(1) } }
