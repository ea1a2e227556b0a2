/* expect: holds; states: 17; transitions: 17 */
/* select chooses any value of the range, one step at a time */
byte x;
active proctype P()
{
	byte i;
	select (i : 2 .. 5);
	x = i;
	assert(x >= 2 && x <= 5)
}
