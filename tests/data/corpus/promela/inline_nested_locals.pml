/* expect: holds; states: 14; transitions: 14 */
/* an inline that calls an inline; its local variables are new in each call */
byte s;
inline add(v) { byte t = v; s = s + t; t = 0 }
inline both(v, w) { add(v); if :: s > 2 -> add(w) :: else fi }
active proctype P() { both(1, 2); both(3, 4); assert(s == 8) }
