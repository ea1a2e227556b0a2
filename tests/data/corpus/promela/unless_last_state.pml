/* expect: holds; states: 6; transitions: 6 */
/* after the last statement of the main sequence the escape is off */
byte x, y;
active proctype P() { { x = 1 } unless { y == 1 -> x = 9 } }
active proctype Q() { x == 1 -> y = 1 }
