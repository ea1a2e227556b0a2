/* expect: violated deadlock; states: 3; transitions: 3 */
/* timeout and else in one choice */
byte x;
active proctype P() { if :: timeout -> x = 1 :: else -> x = 2 fi }
active proctype Q() { x == 7 }
