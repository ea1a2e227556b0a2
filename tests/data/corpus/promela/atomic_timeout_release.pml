/* expect: violated deadlock; states: 10; transitions: 10 */
/* an atomic that blocks and is released only by a timeout in another process */
byte x;
active proctype P() { atomic { x = 1; x == 2; x = 3 } }
active proctype Q() { timeout -> x = 2; x = x + 4 }
