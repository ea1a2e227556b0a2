/* expect: holds; states: 15; transitions: 15 */
/* a late array in a loop: only the first element is reset on every round */
byte n;
active proctype P()
{
	do
	:: n < 2 -> byte a[2]; a[0]++; a[1]++; n++
	:: else -> break
	od;
	assert(a[0] == 1);
	assert(a[1] == 2)
}
