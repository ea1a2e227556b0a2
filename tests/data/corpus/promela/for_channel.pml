/* expect: holds; states: 20; transitions: 20 */
/* for over a channel rotates the messages and leaves them in place */
typedef M { byte v; bit b };
chan c = [3] of { M };
byte s;
active proctype P()
{
	M m;
	m.v = 1; c!m;
	m.v = 2; m.b = 1; c!m;
	for (m in c) { s = s * 10 + m.v }
	assert(s == 12 && len(c) == 2)
}
