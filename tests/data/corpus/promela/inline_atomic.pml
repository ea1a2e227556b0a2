/* expect: holds; states: 30; transitions: 35 */
/* inlines with an atomic sequence and with a label of their own */
byte x, lock;
inline grab(l) { atomic { l == 0 -> l = 1 } }
inline loop(n) { skip; again: if :: x < n -> x++; goto again :: else fi }
active [2] proctype P() { grab(lock); loop(2); lock = 0 }
