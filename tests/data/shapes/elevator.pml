/* Floors have neighbours, and the ends have one each: a reflection is left.  It moves the statements of the lift. */
#define FLOORS 4
bool called[FLOORS];
byte at;
proctype Floor(byte n) {
  do :: !called[n] -> called[n] = true :: atomic { at == n && called[n] -> called[n] = false } od
}
active proctype Lift() {
  do
  :: at == 0 -> at = 1  /* breaks */
  :: at == 1 -> if :: at = 0 :: at = 2 fi  /* breaks */
  :: at == 2 -> if :: at = 1 :: at = 3 fi  /* breaks */
  :: at == 3 -> at = 2
  od
}
init { atomic { run Floor(0); run Floor(1); run Floor(2); run Floor(3) } }
