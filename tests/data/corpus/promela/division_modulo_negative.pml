/* expect: holds; states: 14; transitions: 14 */
/* division and modulo truncate towards zero as in C */
int a = -7, b = 2, q, r;
active proctype P()
{
	q = a / b; r = a % b;
	assert(q == -3 && r == -1);
	b = -2;
	q = a / b; r = a % b;
	assert(q == 3 && r == -1);
	a = 7;
	q = a / b; r = a % b;
	assert(q == -3 && r == 1);
	assert(-7 / 2 == -3 && -7 % 3 == -1 && 7 % -3 == 1)
}
