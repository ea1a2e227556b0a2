/* expect: holds; states: 110; transitions: 211 */
/* the value of run is the new pid */
byte x, y;
proctype P(byte k) { x = x + k }
init
{
	pid p, q;
	p = run P(1);
	q = run P(2);
	assert(p == 1);
	y = p + q;
	if
	:: run P(4) -> y = 9
	:: x > 1 -> y = 8
	fi
}
