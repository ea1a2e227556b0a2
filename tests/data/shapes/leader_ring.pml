/* A ring wired by channel arguments; everybody sends the same. */
chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte };
proctype Node(chan in, out) {
  byte v;
  out!1;
  do :: in?v -> out!v od
}
init { atomic { run Node(a, b); run Node(b, c); run Node(c, a) } }  /* breaks */
