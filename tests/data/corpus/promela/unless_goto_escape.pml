/* expect: violated deadlock; states: 126; transitions: 206 */
/* an escape that starts with a jump is what stands at its label */
byte c;
active [2] proctype P()
{
L:	c = (c + 1) & 1;
	{ c = 2; c = 3 } unless { if :: c == 3 -> goto M :: c == 2 -> goto L fi };
M:	c = 0;
	{ c = 2; c == 1 } unless { goto N; c = 7 };
	c = 5;
N:	c == 0 || c == 2 -> c = 4
}
