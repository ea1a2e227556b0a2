/* expect: holds; states: 49; transitions: 71 */
/* a D_proctype behaves like any other */
byte x;
D_proctype P(byte k) { x = x + k; if :: x > 2 -> x = 0 :: else -> x++ fi }
init { run P(1); run P(2) }
