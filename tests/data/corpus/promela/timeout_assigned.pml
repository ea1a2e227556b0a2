/* expect: holds; states: 7; transitions: 7 */
/* the value of timeout in an assignment */
byte x, y = 7;
active proctype P() { y = timeout; x = 1 }
active proctype Q() { x == 1; y = timeout + 2 }
