/* expect: holds; states: 8; transitions: 9 */
/* remote reference to a label inside an atomic that blocks there */
byte x;
active proctype P() { atomic { x = 1; here: x == 2; x = 3 } }
active proctype Q() { P@here -> x = 2 }
