/* expect: violated deadlock; states: 9; transitions: 9 */
/* poll and length conditions on a rendezvous channel */
chan c = [0] of { byte };
byte x;
active proctype S() { c!1 }
active proctype R() { x = len(c); if :: c?1 -> x = 2 :: x == 0 -> x = 3 fi }
