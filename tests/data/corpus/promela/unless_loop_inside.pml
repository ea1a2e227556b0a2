/* expect: holds; states: 27; transitions: 42 */
/* the main sequence is a loop without end */
byte x, y;
active proctype P()
{
	{
		do
		:: x < 2 -> x++
		:: x == 2 -> x = 0
		od
	} unless { y == 1 };
	x = 9
}
active proctype Q() { y = 1 }
