/* expect: holds; states: 7; transitions: 7 */
/* a timeout that is tested for its absence */
byte x;
active proctype P()
{
	do
	:: !timeout && x < 2 -> x++
	:: x == 2 -> break
	od
}
