/* expect: holds; states: 185; transitions: 343 */
/* select with bounds that are expressions */
byte a = 1, b = 3, x;
active [2] proctype P()
{
	byte i;
	select (i : a .. a + b - 1);
	x = x + i
}
