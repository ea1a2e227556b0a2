/* expect: violated assertion; states: 9; transitions: 9 */
/* a nested else looks only at the guards before it, not at the outer ones behind */
byte x = 1, y;
active proctype P()
{
	if
	:: if
	   :: x == 2 -> y = 1
	   :: else -> y = 2
	   fi
	:: x == 1 -> y = 3
	fi;
	assert(y != 2)
}
