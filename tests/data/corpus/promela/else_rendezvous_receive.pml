/* expect: holds; states: 8; transitions: 9 */
/* else beside a rendezvous receive for which a sender waits */
chan c = [0] of { byte };
byte x;
active proctype R() { if :: c?1 -> x = 1 :: else -> x = 3 fi }
active proctype S() { end: c!1 }
