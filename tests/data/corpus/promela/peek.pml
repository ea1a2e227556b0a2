/* expect: holds; states: 10; transitions: 10 */
/* c?<..> reads and leaves the message, assigns variables */
chan c = [2] of { byte, byte };
byte v, w;
active proctype P()
{
	c!4, 5;
	c!6, 7;
	c?<v, w>;
	assert(v == 4 && w == 5 && len(c) == 2);
	do
	:: c?<4, w> -> c?_, _
	:: c?<6, v> -> break
	od;
	assert(v == 7 && len(c) == 1)
}
