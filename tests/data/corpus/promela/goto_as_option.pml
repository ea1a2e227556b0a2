/* expect: holds; states: 39; transitions: 71 */
/* goto as the only statement of an option is a step of its own */
byte x;
active [2] proctype P()
{
again:
	if
	:: x == 0 -> goto set
	:: goto fin
	fi;
set:	x++;
	goto again;
fin:	x = 2
}
