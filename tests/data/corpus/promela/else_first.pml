/* expect: holds; states: 70; transitions: 121 */
/* the position of else among the options does not matter */
byte x;
bit y;
active [2] proctype P()
{
	do
	:: else -> break
	:: x < 2 -> x++
	:: x == 1 -> y = 1
	od
}
