/* expect: holds; states: 7; transitions: 19 */
/* two ways through an atomic to the same state */
byte x;
active [2] proctype P()
{
	atomic {
		if
		:: x = x + 1; x = x + 2
		:: x = x + 2; x = x + 1
		:: x = x + 3
		fi;
		x = x * 2
	}
}
