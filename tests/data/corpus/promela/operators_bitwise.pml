/* expect: holds; states: 14; transitions: 14 */
/* bitwise operators, shifts and their precedence */
int x = 5, y = 3;
byte z;
active proctype P()
{
	assert((x & y) == 1);
	assert((x | y) == 7);
	assert((x ^ y) == 6);
	assert(~x == -6);
	assert(x << 2 == 20 && x >> 1 == 2);
	assert(-8 >> 1 == -4);
	assert(1 + 2 << 3 == 24);
	assert((x & 4 | 2 ^ 3) == 5);
	z = ~x; assert(z == 250);
	z = x << 6; assert(z == 64)
}
