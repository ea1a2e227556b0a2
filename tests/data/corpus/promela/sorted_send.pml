/* expect: holds; states: 14; transitions: 14 */
/* !! inserts in numeric order, equal messages behind, all fields compared */
chan c = [4] of { byte, byte };
byte a, b;
active proctype P()
{
	c!!3, 1;
	c!!1, 9;
	c!!3, 0;
	c!!2, 2;
	c?a, b; assert(a == 1 && b == 9);
	c?a, b; assert(a == 2);
	c?a, b; assert(a == 3 && b == 0);
	c?a, b; assert(a == 3 && b == 1)
}
