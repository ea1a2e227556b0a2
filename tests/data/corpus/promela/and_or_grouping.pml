/* expect: holds; states: 7; transitions: 7 */
/* how && and || group without parentheses */
byte r;
active proctype P()
{
	r = 1 || 0 && 0;
	if
	:: r == 1 -> r = 10
	:: else -> r = 20
	fi;
	if
	:: 0 && 0 || 1 -> r++
	:: else -> r = r + 2
	fi
}
