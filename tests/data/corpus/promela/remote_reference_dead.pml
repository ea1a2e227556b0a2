/* expect: holds; states: 15; transitions: 21 */
/* a remote reference to a process that has died */
byte x;
proctype P() { fin: x = 1; x = x }
init { pid p; p = run P(); x == 1; if :: P[p]@fin -> x = 2 :: else -> x = 3 fi }
