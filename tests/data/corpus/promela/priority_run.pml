/* expect: holds; states: 14; transitions: 14 */
/* run with a priority */
byte x;
proctype P(byte k) { x = x + k; x = x * 2 }
init { atomic { run P(1) priority 3; run P(2) priority 7; run P(5) } }
