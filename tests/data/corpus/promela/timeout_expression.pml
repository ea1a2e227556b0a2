/* expect: holds; states: 11; transitions: 11 */
/* timeout inside a condition */
byte x;
active proctype P()
{
	do
	:: timeout && x < 3 -> x++
	:: x == 3 -> break
	od
}
active proctype Q() { x == 2 }
