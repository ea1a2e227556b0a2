/* expect: holds; states: 16; transitions: 18 */
/* goto a label on a do from inside it and from outside */
byte x;
active proctype P()
{
	if :: x++ :: goto l fi;
	x++;
l:	do
	:: x < 3 -> x++; goto l
	:: x == 1 -> x = 4; goto l
	:: x > 2 -> break
	od;
	if :: x == 4 -> x = 1; goto l :: else fi
}
