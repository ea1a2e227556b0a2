/* expect: holds; states: 603; transitions: 1519 */
/* a select in an inline is a loop, also with constants */
byte c;
inline pick(v) { select (v : 0 .. 2) }
active [2] proctype P() { byte x; pick(x); c = x; select (x : 0 .. 2); c = x }
