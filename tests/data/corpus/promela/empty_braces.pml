/* expect: holds; states: 6; transitions: 6 */
/* a proctype with a declaration and no statement */
byte x;
active proctype E() { byte k }
active proctype F() { byte k = 3; }
active proctype P() { x = 1; { byte m = 2; } }
