/* expect: violated deadlock; states: 18; transitions: 22 */
/* a rendezvous inside an atomic with two receivers, one atomic and one plain */
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { c!1; x = x + 1; c!2; x = x + 1 } }
active proctype R() { byte v; atomic { c?v; x = x + 10 }; end: c?v }
active proctype T() { byte v; end: c?v; x = x + 100; endb: c?v }
