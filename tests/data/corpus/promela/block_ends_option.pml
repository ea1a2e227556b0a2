/* expect: violated assertion; states: 33; transitions: 49 */
/* a block as the last statement of an option in an atomic sequence: control is given up at its end */
byte c;
active [2] proctype P() { atomic { if :: true -> { c = 1 } fi } c++; assert(c < 3) }
