/* expect: violated deadlock; states: 20; transitions: 27 */
/* an end label on an unless holds at its start only */
byte x;
active proctype P() { x = 1; end: { x == 5; x = 6; x == 9 } unless { x == 7 } }
active proctype Q() { if :: x == 1 -> x = 5 :: x = 7 :: skip fi }
