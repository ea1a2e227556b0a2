/* expect: holds; states: 13; transitions: 13 */
/* the local of an inline is set to 0 by a step in each call */
byte s;
inline f(v) { byte t; t = t + v; s = t }
active proctype P() { f(1); f(2); assert(s == 2); f(3); assert(s == 3) }
