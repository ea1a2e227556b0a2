/* Everybody has a number, and the largest wins: not symmetric. */
chan q[3] = [2] of { byte };
byte leaders;
proctype Node(byte me; byte number) {
  byte v;
  q[(me + 1) % 3]!number;
  do
  :: q[me]?v ->
     if
     :: v > number -> q[(me + 1) % 3]!v  /* breaks */
     :: v == number -> leaders++; assert(leaders == 1); break
     :: else
     fi
  od
}
init { atomic { run Node(0, 2); run Node(1, 3); run Node(2, 1) } }
