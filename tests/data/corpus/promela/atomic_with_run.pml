/* expect: holds; states: 31; transitions: 39 */
/* processes started inside an atomic wait until it ends */
byte x;
proctype P(byte k) { x = x + k }
init { atomic { run P(1); x = 10; run P(2); x = 20 }; x = 30 }
