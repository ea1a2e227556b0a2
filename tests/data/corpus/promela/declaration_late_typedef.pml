/* expect: holds; states: 15; transitions: 15 */
/* a late typedef variable is not reset when its declaration is passed again */
typedef T { byte f = 3; byte g[2] };
active proctype P()
{
	byte n;
	do
	:: n < 2 -> T t; t.f++; t.g[0]++; n++
	:: else -> break
	od;
	assert(t.f == 5);
	assert(t.g[0] == 2)
}
