/* expect: holds; states: 22; transitions: 22 */
/* a variable of an inner block in a loop body, initialised on every round */
byte rounds, last;
active proctype P()
{
	do
	:: rounds < 3 ->
		{
			byte k = 4;
			assert(k == 4);
			k = k + rounds;
			last = k
		}
		rounds++
	:: else -> break
	od;
	assert(last == 6)
}
