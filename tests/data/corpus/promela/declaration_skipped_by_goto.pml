/* expect: holds; states: 9; transitions: 9 */
/* goto jumps over a mid-body initialiser */
byte g;
active proctype P()
{
	byte a = 1;
	if
	:: goto over
	:: g = 1
	fi;
	byte b = 9;
	g = b;
over:
	g = g + b + a
}
