/* expect: holds; states: 5; transitions: 5 */
/* an else in the escape is taken at once */
byte x;
active proctype P() { { x = 1; x = 2 } unless { if :: x == 5 -> x = 6 :: else -> x = 7 fi } ; x++ }
