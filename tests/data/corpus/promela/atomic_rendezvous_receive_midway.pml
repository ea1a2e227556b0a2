/* expect: violated deadlock; states: 7; transitions: 7 */
/* the receive stands in the middle of the atomic, which therefore blocks there first */
chan c = [0] of { byte };
byte x;
active proctype R() { byte v; atomic { x++; c?v; x = x + v; x++ } }
active [2] proctype S() { atomic { c!_pid; x = x + 10; x = x + 20 } }
