/* expect: holds; states: 241; transitions: 451 */
/* local unsigned variables next to other types, in two processes */
unsigned g : 4;
active [2] proctype P()
{
	unsigned u : 2 = _pid + 2;
	byte k;
	do
	:: k < 3 -> u = u + 3; k++; g = g + u
	:: else -> break
	od;
	assert(u == (_pid + 2 + 9) % 4)
}
