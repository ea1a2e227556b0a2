/* expect: holds; states: 11; transitions: 11 */
/* c??<..> reads from the middle of the queue */
chan c = [3] of { byte, byte };
byte v;
active proctype P()
{
	c!1, 5; c!2, 6; c!3, 7;
	c??<2, v>;
	assert(v == 6 && len(c) == 3);
	c??<3, v>;
	c??2, v;
	c?<v, _>;
	assert(v == 1)
}
