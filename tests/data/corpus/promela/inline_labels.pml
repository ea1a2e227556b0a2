/* expect: holds; states: 140; transitions: 249 */
/* each call of an inline has labels of its own, and other inlines may use the same names */
byte c;
inline f() { goto over; c = 3; over: c++ }
inline g() { do :: c > 2 -> goto over :: else -> break od; c = 1; over: c-- }
active [2] proctype P() { f(); g(); f(); goto over; c = 7; over: c = 0 }
