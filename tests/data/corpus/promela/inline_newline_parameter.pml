/* expect: holds; states: 6; transitions: 6 */
/* the end of a line separates statements before a parameter of an inline too */
byte c;
inline f(x, y)
{
	c = 1
	x = 2
	y
	x++
}
active proctype P() { f(c, c == 2) }
