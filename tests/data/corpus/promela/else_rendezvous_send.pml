/* expect: holds; states: 6; transitions: 7 */
/* else beside a rendezvous send that has a partner */
chan c = [0] of { byte };
byte x;
active proctype S() { if :: c!1 -> x = 1 :: else -> x = 3 fi }
active proctype R() { end: c?1 }
