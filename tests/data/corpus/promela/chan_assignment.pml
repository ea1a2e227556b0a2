/* expect: holds; states: 15; transitions: 15 */
/* chan variables are assigned and compared like numbers */
chan a = [1] of { byte };
chan b = [1] of { byte };
chan x, y;
active proctype P()
{
	x = a; y = b;
	x!1;
	y = x;
	assert(x == y && y != b);
	y?1;
	if
	:: x = b
	:: y = b
	fi;
	x!2;
	assert(len(a) + len(b) == 1)
}
