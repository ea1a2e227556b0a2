/* expect: holds; states: 9; transitions: 9 */
/* a trace automaton that allows exactly the behaviour of the model */
mtype = { a, b };
chan c = [1] of { mtype };
active proctype S() { c!a; c!b; c!a }
active proctype R() { c?a; c?b; c?a }
trace { do :: c!a; c!b :: c!b od }
