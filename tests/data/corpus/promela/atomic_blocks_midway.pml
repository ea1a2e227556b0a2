/* expect: violated deadlock; states: 14; transitions: 15 */
/* control is lost when the atomic blocks in the middle and taken again when it can go on */
byte x;
active proctype P() { atomic { x = 1; x == 2; x = 3; x = 4; x == 7; x = 8 } }
active proctype Q() { x == 1; x = 2; x = x + 1; x = 7 }
