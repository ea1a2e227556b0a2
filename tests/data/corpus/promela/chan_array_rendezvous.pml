/* expect: violated deadlock; states: 20; transitions: 20 */
/* a receiver that waits on one element of a channel array */
chan c[2] = [0] of { bit };
active [2] proctype S() { c[_pid]!1; c[1 - _pid]!0 }
active proctype R()
{
	byte i;
	bit b;
	do
	:: i < 4 -> c[i & 1]?b; i++
	:: else -> break
	od
}
