/* expect: holds; states: 17; transitions: 25 */
/* pc_value() inside a process */
byte x;
active proctype P() { x++; x++ }
active proctype Q() { byte v; v = (pc_value(0) == pc_value(1)); x = x + 5 }
