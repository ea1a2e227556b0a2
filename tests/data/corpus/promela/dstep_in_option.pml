/* expect: holds; states: 24; transitions: 35 */
/* d_step as a guard of options and as tail */
byte x;
active [2] proctype P()
{
	do
	:: d_step { x < 2 -> x++; x++ }
	:: x == 2 -> d_step { x++; x++ }
	:: x > 2 -> break
	od
}
