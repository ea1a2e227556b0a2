/* expect: violated event-trace deadlock; states: 10; transitions: 11; options: --all-errors */
/* a trace automaton that the model leaves */
mtype = { a, b };
chan c = [1] of { mtype };
active proctype S() { c!a; if :: c!b :: c!a fi; c!a }
active proctype R() { mtype m; do :: c?m od }
trace { do :: c!a; c!b od }
