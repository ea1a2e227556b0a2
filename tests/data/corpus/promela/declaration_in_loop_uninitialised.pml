/* expect: holds; states: 19; transitions: 19 */
/* a declaration without initialiser past the start of the body is a step that sets 0 */
byte rounds, seen;
active proctype P()
{
	do
	:: rounds < 3 ->
		byte k;
		k = k + 2;
		seen = k;
		rounds++
	:: else -> break
	od;
	assert(seen == 2)
}
