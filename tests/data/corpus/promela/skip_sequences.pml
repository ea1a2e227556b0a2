/* expect: holds; states: 29; transitions: 61 */
/* skip, true and constants are steps of their own */
byte x;
active proctype P() { skip; true; 1; (1); x = 1; skip }
active proctype Q() { if :: skip :: true :: 1 -> skip :: 0 -> x = 9 fi }
