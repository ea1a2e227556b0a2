/* expect: holds; states: 8; transitions: 10 */
/* a rendezvous send as guard of the escape */
chan c = [0] of { byte };
byte x;
active proctype P() { { x = 1; x = 2 } unless { c!7 -> x = 9 }; x++ }
active proctype Q() { byte v; end: c?v }
