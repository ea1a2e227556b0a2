/* expect: holds; states: 31; transitions: 34 */
/* break leaves only the innermost loop */
byte x, y;
active proctype P()
{
	do
	:: x < 3 ->
		do
		:: y < 2 -> y++
		:: y == 2 -> break
		:: x == 1 -> break
		od;
		x++; y = 0
	:: x == 3 -> break
	od
}
