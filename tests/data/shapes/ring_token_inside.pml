/* The token is put in before the nodes are started, in the same atomic sequence. */
chan q[3] = [1] of { byte };
byte in;
proctype Node(byte me) {
  byte v;
  do :: q[me]?v; in++; assert(in == 1); in--; q[(me + 1) % 3]!v od
}
init { atomic { q[0]!1; run Node(0); run Node(1); run Node(2) } }  /* breaks */
