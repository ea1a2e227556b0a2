/* expect: holds; states: 9; transitions: 9 */
/* a typedef after another field: the fields are laid out one after the other */
typedef Body { byte x; bit y };
chan c = [1] of { byte, Body };
byte seen;
active proctype S()
{
	Body b;
	b.x = 5; b.y = 1;
	c!9, b
}
active proctype R()
{
	Body r;
	byte h;
	c?h, r;
	seen = h + r.x + r.y;
	assert(seen == 15)
}
