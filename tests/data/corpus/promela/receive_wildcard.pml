/* expect: holds; states: 8; transitions: 8 */
/* the write-only variable as a wildcard in receives */
chan c = [2] of { byte, byte };
byte x;
active proctype P()
{
	c!1, 2;
	c!3, 4;
	c?_, x;
	assert(x == 2);
	c?x, _;
	assert(x == 3)
}
