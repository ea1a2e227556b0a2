/* expect: holds; states: 10; transitions: 13 */
/* an atomic option with a buffered send beside an else */
chan c = [1] of { byte };
byte x;
active [2] proctype P() { if :: atomic { c!1; x++ } :: else -> x = x + 5 fi }
