/* expect: holds; states: 81; transitions: 129 */
/* unless inside a loop, with break in the escape */
byte x, y;
active proctype P()
{
	do
	:: x < 3 -> { x++; x = x } unless { if :: y == 1 -> y = 2 :: y == 3 -> break fi }
	:: x == 3 -> x = 0
	od;
	x = 9
}
active proctype Q() { y = 1; y == 2; y = 3 }
