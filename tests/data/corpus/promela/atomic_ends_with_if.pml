/* expect: holds; states: 16; transitions: 23 */
/* the last statement of the atomic is an if: is the state after it inside? */
byte x;
active [2] proctype P()
{
	atomic {
		x++;
		if
		:: x == 1 -> x = 5
		:: x == 6 -> x = 7
		:: else
		fi
	};
	x = 0
}
