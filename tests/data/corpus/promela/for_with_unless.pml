/* expect: holds; states: 268; transitions: 477 */
/* for on either side of unless: the first assignment stands before the unless */
byte c;
active proctype P() { byte i; for (i : 0 .. 2) { c++ } unless { c == 9 -> c = 0 } }
active proctype Q() { byte j; { c = 9; c == 1 } unless for (j : 0 .. 1) { c = 2 } }
