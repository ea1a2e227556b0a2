/* A parameter that lasts: who has another one is another one. */
byte x;
proctype W(byte limit) {
  do
  :: x < limit -> x++  /* breaks */
  :: x > 0 -> x--
  od
}
init { atomic { run W(1); run W(2); run W(2) } }
