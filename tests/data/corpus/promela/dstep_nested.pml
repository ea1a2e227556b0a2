/* expect: holds; states: 13; transitions: 19 */
/* atomic and d_step inside a d_step */
byte x;
active [2] proctype P() { d_step { x++; atomic { x++; x++ }; d_step { x++; x-- } }; x++ }
