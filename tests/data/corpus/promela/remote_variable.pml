/* expect: holds; states: 323; transitions: 629 */
/* remote references to local variables */
byte r;
active [2] proctype P() { byte k = 3; k = k + _pid; k++; k = 0 }
active proctype Q() { r = P[0]:k + P[1]:k; assert(r >= 0); if :: P[1]:k == 5 -> r = 99 :: else fi }
