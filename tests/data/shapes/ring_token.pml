/* A token ring wired by channel arguments; init puts the token in afterwards. */
chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte };
byte in;
proctype Node(chan left, right) {
  byte v;
  do :: left?v; in++; assert(in == 1); in--; right!v od
}
init { atomic { run Node(a, b); run Node(b, c); run Node(c, a) } a!1 }  /* breaks */
