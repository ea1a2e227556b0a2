/* expect: holds; states: 12; transitions: 14 */
/* the variable of a process that has died reads as 0 */
byte x;
proctype P() { byte k = 7; x = 1; k = 8 }
init { pid p; p = run P(); x == 1; _nr_pr == 1; x = P[p]:k; assert(x == 0) }
