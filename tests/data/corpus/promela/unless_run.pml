/* expect: holds; states: 34; transitions: 55 */
/* a main sequence that starts processes, and an escape by _nr_pr */
byte x;
proctype C() { x++ }
init { { run C(); run C(); run C() } unless { _nr_pr == 3 -> x = x + 10 } }
