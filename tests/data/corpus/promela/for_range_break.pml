/* expect: holds; states: 21; transitions: 21 */
/* break in a for loop, bounds evaluated on every round */
byte n = 5, s;
active proctype P()
{
	byte i;
	for (i : 0 .. n) {
		n--;
		s++;
		if
		:: s == 2 -> break
		:: skip
		fi
	}
}
