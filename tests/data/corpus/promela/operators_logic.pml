/* expect: holds; states: 25; transitions: 25 */
/* comparison chains, unary minus, negation, short circuit */
int x = 5, y, r;
active proctype P()
{
	r = 3 > 2 > 1; assert(r == 0);
	r = 1 < 2 == 1; assert(r == 1);
	r = !x; assert(r == 0);
	r = ! !x; assert(r == 1);
	r = - -x; assert(r == 5);
	r = -x * -1; assert(r == 5);
	r = !x + 1; assert(r == 1);
	assert(y == 0 || x / y > 1);
	assert(!(y != 0 && x / y > 1));
	assert(1 || 0 && 0);
	r = 10 - 3 - 2; assert(r == 5);
	r = 100 / 10 / 5; assert(r == 2);
	r = x && 2; assert(r == 1)
}
