/* expect: holds; states: 18; transitions: 27 */
/* a d_step option beside an else */
byte x;
active [2] proctype P() { if :: d_step { x == 0; x = 3; x = 4 } :: else -> x = x + 5 fi; x++ }
