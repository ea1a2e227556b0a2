/* expect: violated deadlock; states: 73; transitions: 114 */
/* goto to a label before the closing brace */
byte x;
active [2] proctype P()
{
	do
	:: x < 2 -> x++
	:: x == 1 -> goto fin
	:: x == 2 -> break
	od;
	x = 5;
fin:
}
