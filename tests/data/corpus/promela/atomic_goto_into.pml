/* expect: holds; states: 42; transitions: 65 */
/* a jump into the middle of an atomic makes the rest atomic */
byte x, y;
active proctype P()
{
	if
	:: goto mid
	:: y = 1
	fi;
	atomic { x = 1; mid: x = 2; x = 3; x = 4 };
	y = 2
}
active proctype Q() { y = y + x; y = y + x }
