/* expect: violated assertion deadlock; states: 14; transitions: 18; options: --all-errors */
/* P[0]:_p is the number of the place where the process is */
byte c;
active proctype P() { c = 1; c = 2; c = 3 }
active proctype Q() { P[0]:_p == 2 -> assert(c == 1) }
