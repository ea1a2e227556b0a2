/* expect: holds; states: 19; transitions: 25 */
/* goto inside a d_step */
byte x;
active [2] proctype P()
{
	d_step {
		x++;
again:		if
		:: x < 4 -> x++; goto again
		:: x == 4 -> goto skipit
		:: else
		fi;
		x = 100;
skipit:		x++
	};
	x++
}
