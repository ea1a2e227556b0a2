/* expect: holds; states: 11; transitions: 11 */
/* goto a label inside a loop body */
byte x;
active proctype P()
{
	if
	:: goto inside
	:: skip
	fi;
	do
	:: x < 2 ->
		x++;
inside:		x = x + 2
	:: x >= 2 -> break
	od
}
