/* expect: holds; states: 28; transitions: 39 */
/* a hidden variable as the target of a receive */
hidden byte junk;
chan c = [2] of { byte };
byte n;
active [2] proctype S() { c!_pid }
active proctype R() { do :: n < 2 -> c?junk; n++ :: else -> break od }
