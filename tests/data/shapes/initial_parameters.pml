/* Two kinds of workers by their start values. */
byte got[4];
proctype W(byte id; byte start) {
  byte v = start;
  do :: v < 3 -> v++ :: else -> break od;
  got[id] = v
}
init { atomic { run W(0, 1); run W(1, 0); run W(2, 0); run W(3, 1) } }
