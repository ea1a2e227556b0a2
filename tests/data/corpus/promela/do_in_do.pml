/* expect: holds; states: 9; transitions: 9 */
/* loops that start with a loop */
byte x;
active proctype P()
{
	do
	:: do
	   :: x < 2 -> x++
	   :: x == 2 -> break
	   od; x++
	:: x == 3 -> break
	od
}
