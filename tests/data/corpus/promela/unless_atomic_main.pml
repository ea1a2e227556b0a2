/* expect: holds; states: 30; transitions: 44 */
/* an atomic in the main sequence: can the escape interrupt it? */
byte x, y;
active proctype P()
{
	{ x = 1; atomic { x = 2; y == 0; x = 3; x = 4 }; x = 5 } unless { y == 1 -> x = 9 }
}
active proctype Q() { y = 1; y = 0 }
