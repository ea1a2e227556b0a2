/* expect: holds; states: 50; transitions: 71 */
/* goto out of an atomic ends it */
byte x;
active [2] proctype P()
{
	atomic {
		x++;
		if
		:: x == 1 -> goto out
		:: x == 2 -> x = 3; goto out
		:: else -> x = 9
		fi;
		x = 8
	};
	x = 7;
out:	x = x + 10;
	x = x + 20
}
