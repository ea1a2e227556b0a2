/* expect: violated deadlock; states: 6; transitions: 6 */
/* an escape does not enter a d_step */
byte g;
chan q = [0] of { bit };
active proctype P() { { d_step { g = 1; g = 2 } } unless { q!1 } }
active proctype Q() { g == 1 || g == 0 -> if :: q?_ :: g == 2 fi }
