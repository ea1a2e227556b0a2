/* expect: holds; states: 6; transitions: 6 */
/* a d_step in the main sequence cannot be interrupted */
byte x;
active proctype P()
{
	{ d_step { x = 1; x = 2; x = 3 }; x = 4 } unless { x == 2 || x == 3 -> x = 9 };
	x++
}
