/* expect: violated deadlock; states: 5; transitions: 5 */
/* timeout in the middle of an atomic sequence */
byte x;
active proctype P() { atomic { x++; timeout; x++ } }
active proctype Q() { x > 0; x = x + 5; x == 100 }
