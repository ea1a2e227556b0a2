/* expect: holds; states: 29; transitions: 50 */
/* the same proctype with and without arguments */
byte r;
active proctype P(byte k) { r = r + k + 1 }
init { run P(4); run P(5) }
