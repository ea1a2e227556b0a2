/* expect: holds; states: 15; transitions: 25 */
/* a process whose whole body is one d_step */
byte x;
active [3] proctype P() { d_step { x++; x++ } }
