/* Three that print, and a fourth whose loop has nothing to do with them. */
byte print[4], all[4];
proctype P(byte id) { print[id] = 1; print[id] = 2 }
proctype M() {
  byte i;
  do
  :: i < 3 -> all[i] = 1; i++
  :: else -> break
  od
}
init { atomic { run P(0); run P(1); run P(2); run M() } }
