/* expect: holds; states: 19; transitions: 25 */
/* a d_step is one transition */
byte x, y;
active [2] proctype P() { d_step { x++; y = x; x = x * 2 }; y++ }
