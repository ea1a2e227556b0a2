/* expect: holds; states: 4; transitions: 4 */
/* the guard already holds before the main sequence starts */
byte x, y = 1;
active proctype P() { { x = 1; x = 2 } unless { y == 1 }; x = x + 4 }
