/* expect: holds; states: 38; transitions: 61 */
/* run as a guard in a choice, in several processes */
byte n;
proctype C() { n++ }
active [2] proctype P() { if :: n < 2 -> run C() :: n > 0 -> n = n + 2 fi }
