/* expect: violated assertion; states: 7; transitions: 9 */
/* a failed assertion in an atomic sequence */
byte x;
active [2] proctype P() { atomic { x++; assert(x < 2); x++; x = x } }
