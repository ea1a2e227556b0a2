/* expect: holds; states: 10; transitions: 12 */
/* a remote reference without pid to the only instance */
byte x;
active proctype P() { x++; wait: x == 5; x = 6 }
active proctype Q() { P@wait -> x = 5 }
