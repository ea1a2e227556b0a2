/* expect: violated deadlock; states: 18; transitions: 26 */
/* only the youngest process can leave, older ones wait at their end */
byte x;
active proctype A() { x++ }
active proctype B() { x++; x++ }
active proctype C() { x == 2 -> x++ }
