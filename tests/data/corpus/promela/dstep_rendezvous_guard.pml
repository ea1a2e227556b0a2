/* expect: holds; states: 5; transitions: 5 */
/* a rendezvous receive as first statement of a d_step */
chan c = [0] of { byte };
byte x;
active proctype R() { byte v; d_step { c?v; x = v; x++ } }
active proctype S() { c!4; x = x + 10 }
