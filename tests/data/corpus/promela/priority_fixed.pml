/* expect: holds; states: 14; transitions: 16 */
/* only processes of the highest priority that can move are allowed to */
byte x;
active proctype A() priority 5 { x++; x == 3; x = 4 }
active proctype B() priority 2 { x = x + 2; x = x + 1 }
active [2] proctype C() { x = x + 10 }
