/* expect: holds; states: 44; transitions: 67 */
/* nested options in which only some end inside the atomic */
byte x;
active [2] proctype P()
{
	if
	:: atomic { x == 0 -> x = 1; x = 2 }
	:: x == 0 -> atomic { x = 3; x = 4 }; x = 5
	:: else -> x = 6
	fi
}
