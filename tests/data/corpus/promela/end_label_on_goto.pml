/* expect: violated deadlock; states: 18; transitions: 27 */
/* an end label on a goto makes the goto a step of its own */
byte x;
active proctype P() { x = 1; end: goto l; x = 3; l: x == 5 }
active proctype Q() { if :: x = 5 :: skip fi }
