/* expect: holds; states: 41; transitions: 41 */
/* nested for loops with locals declared in the loop body */
byte s;
active proctype P()
{
	byte i, j;
	for (i : 0 .. 2) {
		byte t = 1;
		for (j : 0 .. i) { t = t + j }
		s = s + t
	}
	assert(s == 7)
}
