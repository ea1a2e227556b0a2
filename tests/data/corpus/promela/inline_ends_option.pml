/* expect: holds; states: 36; transitions: 53 */
/* the body of an inline is a block, also at the end of an option */
byte c;
inline set(v) { c = v }
inline twice(v) { set(v); if :: true -> set(v + 1) fi }
active [2] proctype P() { atomic { if :: c == 0 -> twice(1) :: else -> set(0) fi } c++; c = c & 1 }
