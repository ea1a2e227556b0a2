/* expect: holds; states: 9; transitions: 11 */
/* enabled() inside a process */
byte x;
active proctype P() { x == 1; x = 2 }
active proctype Q() { if :: enabled(0) -> x = 7 :: !enabled(0) -> x = 1 fi }
