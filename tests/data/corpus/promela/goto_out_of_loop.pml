/* expect: holds; states: 20; transitions: 20 */
/* goto out of two nested loops */
byte x, y;
active proctype P()
{
	do
	:: x < 2 -> x++;
		do
		:: y < 3 -> y++
		:: y == 2 -> goto out
		:: y == 3 -> break
		od
	:: x == 2 -> break
	od;
	x = 7;
out:	y = 9
}
