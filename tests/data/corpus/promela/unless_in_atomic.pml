/* expect: holds; states: 15; transitions: 19 */
/* an unless inside an atomic sequence */
byte x, y;
active proctype P() { atomic { x = 1; { x = 2; x = 3; y == 1; x = 4 } unless { y == 2 -> x = 9 }; x = x + 10 } }
active proctype Q() { y = 1; y = 2 }
