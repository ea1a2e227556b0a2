/* expect: holds; states: 45; transitions: 49 */
/* select over constants is one step; over variables it is a loop */
byte x, n = 3;
active proctype P()
{
	byte i;
	select (i : 1 .. 3);
	x = i;
	select (i : 1 .. n);
	x = x + i
}
