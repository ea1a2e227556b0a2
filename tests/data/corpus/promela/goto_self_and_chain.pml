/* expect: holds; states: 9; transitions: 9 */
/* gotos that lead to gotos */
byte x;
active proctype P()
{
a:	goto b;
c:	x++;
	if
	:: x < 3 -> goto a
	:: x == 3 -> goto d
	fi;
b:	goto c;
d:	skip
}
