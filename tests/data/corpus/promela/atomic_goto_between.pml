/* expect: holds; states: 13; transitions: 19 */
/* a jump from one atomic into another keeps control */
byte x;
active [2] proctype P()
{
	atomic { x++; goto b; x = 50 };
	x = 60;
	atomic { x = 70; b: x++; x++ };
	x--
}
