/* expect: holds; states: 19; transitions: 25 */
/* unless between single statements, at the end of a body */
byte x, y;
active [2] proctype P()
{
	y++;
	x++ unless y == 2
}
