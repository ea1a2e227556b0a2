/* expect: violated deadlock; states: 6; transitions: 6 */
/* else inside an atomic */
byte x;
active [2] proctype P()
{
	atomic {
		if
		:: x == 0 -> x = 1; x == 3
		:: else -> x = 3
		fi;
		x++
	}
}
