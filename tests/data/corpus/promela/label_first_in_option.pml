/* expect: holds; states: 10; transitions: 14 */
/* end labels on the first statement of an option count behind that statement, where both processes end here */
byte c;
chan q = [0] of { byte };
active proctype P() { if :: if :: end_a: c < 9 -> q!1 fi fi }
active proctype Q() { do :: c < 2 -> c++ :: end_b: c == 9 od }
