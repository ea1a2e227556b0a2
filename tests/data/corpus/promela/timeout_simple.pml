/* expect: holds; states: 16; transitions: 23 */
/* timeout is executable only when nothing else in the system is */
byte x;
active [2] proctype P() { x++; x == 9 }
active proctype W() { timeout -> x = 9 }
