/* expect: holds; states: 14; transitions: 14 */
/* random receive closes the gap in the middle of the queue */
chan c = [3] of { byte };
byte v;
active proctype P()
{
	c!1; c!2; c!3;
	c??2;
	c!4;
	assert(full(c));
	c?v; assert(v == 1);
	c?v; assert(v == 3);
	c?v; assert(v == 4)
}
