/* expect: holds; states: 27; transitions: 38 */
/* the escape is taken before any step of the main sequence as soon as its guard holds */
byte x, y;
active proctype P()
{
	{ x = 1; x = 2; x = 3 } unless { y == 1 -> x = 9 };
	x = x + 10
}
active proctype Q() { y = 1 }
