/* expect: violated event-trace; states: 7; transitions: 7 */
/* a notrace automaton that the model can complete */
mtype = { a, b };
chan c = [1] of { mtype };
active proctype S() { c!a; if :: c!b :: c!a fi }
active proctype R() { mtype m; end: do :: c?m od }
notrace { if :: c!a; c!a fi }
