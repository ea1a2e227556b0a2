/* expect: holds; states: 30; transitions: 41 */
/* several processes wait for the same timeout; one step ends it */
byte x;
active [3] proctype P()
{
	if
	:: timeout -> x++
	:: x == 2 -> x = 7
	fi
}
