/* expect: holds; states: 25; transitions: 41 */
/* break as the only statement of an option is a step of its own */
byte x;
active [2] proctype P()
{
	do
	:: break
	:: x < 2 -> x++; break
	:: x == 2 -> x = 0
	od
}
