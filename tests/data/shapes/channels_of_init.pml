/* An array of channels of init makes a ring. */
proctype Node(chan left, right) { byte v; right!1; do :: left?v -> right!v od }
init {
  chan c[3] = [1] of { byte };
  atomic { run Node(c[0], c[1]); run Node(c[1], c[2]); run Node(c[2], c[0]) }  /* breaks */
}
