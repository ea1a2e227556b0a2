/* expect: holds; states: 27; transitions: 36 */
/* an atomic escape sequence */
byte x, y;
active proctype P()
{
	{ x = 1; x = 2 } unless { atomic { y == 1 -> x = 8; x = 9 } };
	x++
}
active proctype Q() { y = 1; x = 20 }
