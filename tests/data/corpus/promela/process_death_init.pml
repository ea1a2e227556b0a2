/* expect: holds; states: 35; transitions: 62 */
/* init waits for its children, and can end before them */
byte x;
proctype P() { x++; x++ }
init { run P(); run P(); if :: _nr_pr == 1 -> x = 9 :: skip fi }
