/* expect: holds; states: 24; transitions: 34 */
/* declarations of a block are steps, even if the block is the first statement */
byte r;
active proctype P()
{
	byte x = 2;
	int w;
	{ byte y; byte k = 7; y = 1; r = x + y + k };
	r = r + w
}
active proctype Q() { r = 1 }
