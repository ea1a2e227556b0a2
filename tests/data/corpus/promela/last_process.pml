/* expect: holds; states: 62; transitions: 91 */
/* _last is part of the state and holds the process that moved last */
byte x;
active [2] proctype P() { x++; if :: _last == _pid -> x = 5 :: _last != _pid -> x = 6 fi }
