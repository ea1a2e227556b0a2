/* Three that print, and a fourth that reads one after the other. */
byte print[4], all;
proctype P(byte id) { print[id] = 1 }
proctype M() {
  byte i;
  do
  :: i < 3 -> all = all + print[i]; i++  /* breaks */
  :: else -> break
  od
}
init { atomic { run P(0); run P(1); run P(2); run M() } }
