/* expect: holds; states: 21; transitions: 33 */
/* a hidden variable is no part of the state */
hidden byte h;
byte x;
active [2] proctype P()
{
	h = _pid;
	x++;
	h = x
}
