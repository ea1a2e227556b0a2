/* expect: violated deadlock; states: 17; transitions: 21 */
/* goto a label in front of an if and of an option body */
byte x;
active proctype P()
{
pick:	if
	:: x < 2 -> x++; goto pick
	:: x < 3 -> inner: x++; if :: x < 4 -> goto inner :: x < 5 -> goto pick :: else fi
	:: x > 3
	fi
}
