/* expect: holds; states: 6; transitions: 6 */
/* global initialisers that use constants, macros and earlier variables */
#define K 3
byte a = K * 2 + 1;
byte b = a + 1;
short s = -K;
bool f = (K > 2);
int n = (K > 5 -> 1 : 2);
active proctype P() { assert(a == 7); assert(b == 8); assert(s == -3 && f && n == 2); a = b }
