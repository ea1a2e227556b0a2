/* expect: holds; states: 20; transitions: 27 */
/* else outside any choice */
byte x;
active proctype P() { x = 1; else; x = 2 }
active proctype Q() { x++ }
