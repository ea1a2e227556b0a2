/* expect: holds; states: 56; transitions: 85 */
/* an escape sequence with several statements and options */
byte x, y;
active proctype P()
{
	{ x = 1; x = 2 } unless {
		if
		:: y == 1 -> x = 10
		:: y > 0 -> x = 11
		:: y == 2 -> x = 12
		fi;
		x = x + 1;
		x = x + 1
	}
}
active proctype Q() { y = 1; y = 2 }
