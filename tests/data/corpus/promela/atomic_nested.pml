/* expect: holds; states: 19; transitions: 25 */
/* an atomic inside an atomic adds nothing */
byte x;
active [2] proctype P() { atomic { x++; atomic { x = x * 2; x++ }; x++ }; x++ }
