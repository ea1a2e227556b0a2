/* expect: holds; states: 22; transitions: 22 */
/* the C ladder of binary operators without parentheses */
int r;
active proctype P()
{
	r = 2 + 3 * 4; assert(r == 14);
	r = 2 * 3 % 4; assert(r == 2);
	r = 7 & 3 == 3; assert(r == 1);
	r = 6 | 1 & 3; assert(r == 7);
	r = 6 ^ 2 | 1; assert(r == 5);
	r = 4 < 3 << 1; assert(r == 1);
	r = 1 == 2 < 3; assert(r == 1);
	r = ~0 & 7; assert(r == 7);
	r = -2 + 3; assert(r == 1);
	r = 8 >> 1 + 1; assert(r == 2)
}
