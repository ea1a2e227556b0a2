/* expect: holds; states: 173; transitions: 319 */
/* rendezvous: one step for both sides, two possible partners */
chan c = [0] of { byte };
byte sum;
active [2] proctype S() { c!_pid + 1; c!10 }
active [2] proctype R() { byte v; c?v; sum = sum + v; c?v; sum = sum + v }
