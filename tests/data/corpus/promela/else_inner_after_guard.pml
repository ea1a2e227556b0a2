/* expect: holds; states: 5; transitions: 5 */
/* a nested else behind an outer guard that holds */
byte x = 1, y;
active proctype P()
{
	if
	:: x == 1 -> y = 3
	:: if
	   :: x == 2 -> y = 1
	   :: else -> y = 2
	   fi
	fi;
	assert(y != 2)
}
