/* expect: holds; states: 20; transitions: 26 */
/* an else inside a nested if and none outside */
byte x, y;
active proctype P()
{
	if
	:: if
	   :: x == 1 -> y = 1
	   :: else -> y = 2
	   fi
	:: x == 1 -> y = 3
	fi
}
active proctype Q() { x = 1 }
