/* expect: holds; states: 26; transitions: 36 */
/* else in a process with a provided clause */
byte g = 1, x;
active proctype P() provided (g) { do :: x == 1 -> break :: else -> x = 1; x = 2 od }
active proctype Q() { g = 0; x = 1; g = 1 }
