/* expect: violated assertion; states: 7; transitions: 9 */
/* a failed assertion in a d_step */
byte x;
active [2] proctype P() { d_step { x++; assert(x < 3); x++; x = x } }
