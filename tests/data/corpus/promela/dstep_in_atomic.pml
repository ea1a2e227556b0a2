/* expect: holds; states: 13; transitions: 19 */
/* a d_step inside an atomic */
byte x;
active [2] proctype P() { atomic { x++; d_step { x++; x++ }; x++ }; x++ }
