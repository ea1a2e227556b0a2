/* expect: holds; states: 8; transitions: 8 */
/* a timeout as guard of the escape */
byte x;
active proctype P() { { x = 1; x == 5; x = 6 } unless { timeout -> x = 7 } }
active proctype Q() { x == 1; x = 2 }
