/* expect: holds; states: 35; transitions: 43 */
/* a d_step escape sequence */
byte x, y;
active proctype P()
{
	{ x = 1; x = 2 } unless { d_step { y == 1 -> x = 8; y = 2 } };
	x++
}
active proctype Q() { y = 1; x = 20 }
