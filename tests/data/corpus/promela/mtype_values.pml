/* expect: holds; states: 32; transitions: 32 */
/* mtype constants count from the last one down to 1, also over two declarations */
mtype = { red, green, blue };
mtype = { one, two };
mtype m;
byte n;
active proctype P()
{
	assert(m == 0);
	m = red; n = m; assert(n == 3);
	m = blue; n = m; assert(n == 1);
	m = two; n = m; assert(n == 4);
	m = one; n = m; assert(n == 5);
	do
	:: n > 0 -> m = n; n--
	:: else -> break
	od;
	assert(m == blue)
}
