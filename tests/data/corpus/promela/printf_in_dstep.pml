/* expect: holds; states: 46; transitions: 71 */
/* printf inside atomic and d_step, and as a guard */
byte x;
active [2] proctype P() { atomic { printf("a\n"); x++ }; d_step { printf("d\n"); x++ }; if :: printf("g\n") -> x = 0 :: else fi }
