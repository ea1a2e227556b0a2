/* expect: holds; states: 16; transitions: 20 */
/* a whole typedef as a message field */
typedef Msg { byte a; short b };
chan c = [2] of { Msg };
active proctype S()
{
	Msg m;
	m.a = 3; m.b = -7;
	c!m;
	m.a = 4;
	c!m
}
active proctype R()
{
	Msg n;
	c?n;
	assert(n.a == 3 && n.b == -7);
	c?n;
	assert(n.a == 4 && n.b == -7)
}
