/* expect: holds; states: 9; transitions: 9 */
/* a typedef and an mtype through a rendezvous channel */
mtype = { go, halt };
typedef D { byte a; short b };
chan c = [0] of { mtype, D };
byte r;
active proctype S() { D d; d.a = 3; d.b = -2; c!go(d); c!halt(d) }
active proctype R() { D e; c?go(e); r = e.a + e.b; c?halt(e); assert(r == 1) }
