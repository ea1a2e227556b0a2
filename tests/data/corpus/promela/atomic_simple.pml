/* expect: holds; states: 16; transitions: 23 */
/* intermediate states of an atomic sequence are not interleaved */
byte x, y;
active [2] proctype P() { atomic { x++; y = x; x--; assert(y == 1) }; y = 0 }
