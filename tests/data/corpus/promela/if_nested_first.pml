/* expect: holds; states: 12; transitions: 12 */
/* an if as first statement of an option: its guards are the guards of the option */
byte x, y;
active proctype P()
{
	do
	:: if
	   :: x == 0 -> y = 1
	   :: x == 1 -> y = 2
	   fi; x++
	:: do
	   :: x == 2 -> y = 3; break
	   :: x == 5 -> y = 4
	   od; x = 3
	:: x == 3 -> break
	od
}
