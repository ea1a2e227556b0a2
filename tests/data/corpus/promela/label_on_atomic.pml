/* expect: holds; states: 52; transitions: 78 */
/* goto a label on an atomic sequence keeps its atomicity */
byte x, y;
active proctype P()
{
	goto go;
	x = 9;
go:	atomic { x++; x++; x++ };
	if
	:: x < 6 -> goto go
	:: x >= 6
	fi
}
active proctype Q() { y = x; y = x; assert(y % 3 == 0) }
