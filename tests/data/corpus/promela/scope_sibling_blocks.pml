/* expect: holds; states: 9; transitions: 9 */
/* two sibling blocks each have their own variable of the same name */
byte r;
active proctype P()
{
	{ byte t = 3; r = r + t; t = 0 }
	{ byte t = 4; r = r + t; t = 1 }
	assert(r == 7)
}
