/* expect: holds; states: 31; transitions: 51 */
/* local typedef variables with initialised fields */
typedef Pair { byte l = 1; byte r = 2 };
byte total;
active [2] proctype P()
{
	Pair p, q[2];
	assert(p.l == 1 && q[1].r == 2);
	p.l = p.r + _pid;
	q[_pid].l = p.l;
	total = total + q[0].l + q[1].l
}
