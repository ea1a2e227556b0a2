/* expect: holds; states: 11; transitions: 12 */
/* end label inside an atomic sequence that blocks there */
byte x;
active proctype P() { atomic { x++; end1: x == 5; x++ } }
active proctype Q() { if :: x == 1 -> x = 2 :: x == 1 -> x = 5 fi }
