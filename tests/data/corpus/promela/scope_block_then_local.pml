/* expect: holds; states: 9; transitions: 9 */
/* a block variable and a later local with the same name are two variables */
byte out;
active proctype P()
{
	{ byte x = 2; x++; out = x }
	byte x;
	out = out * 10 + x;
	x = 1;
	assert(out == 30)
}
