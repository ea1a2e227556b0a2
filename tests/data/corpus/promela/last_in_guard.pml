/* expect: violated deadlock; states: 45; transitions: 58 */
/* alternation by _last */
byte x;
active [2] proctype P() { do :: _last != _pid && x < 4 -> x++ :: x == 4 -> break od }
