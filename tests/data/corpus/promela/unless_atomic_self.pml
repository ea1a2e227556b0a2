/* expect: holds; states: 20; transitions: 27 */
/* the atomic itself makes the guard of the escape true */
byte x;
active proctype P()
{
	{ atomic { x = 1; x = 2; x = 3 }; x = 4 } unless { x == 2 -> x = 9 };
	x++
}
active proctype Q() { x = x + 20 }
