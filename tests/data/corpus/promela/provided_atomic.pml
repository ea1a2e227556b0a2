/* expect: holds; states: 9; transitions: 10 */
/* a provided clause that becomes false inside an atomic */
byte turn, x;
active proctype P() provided (turn == 0) { atomic { x++; turn = 1; x = x + 2 } }
active proctype Q() { x == 1; x = 7; turn = 0 }
