/* expect: violated deadlock; states: 7; transitions: 7 */
/* a provided clause is tested before every step of the process */
byte turn, x;
active proctype P() provided (turn == 0) { x++; turn = 1; x = x + 2 }
active proctype Q() provided (turn == 1) { x = x * 2; x++; turn = 0; x = 0 }
