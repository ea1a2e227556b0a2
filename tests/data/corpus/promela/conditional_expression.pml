/* expect: holds; states: 15; transitions: 15 */
/* conditional expressions, nested and as guard, argument and index */
byte a[2] = 4, x;
chan c = [1] of { byte };
active proctype P()
{
	do
	:: x < 3 -> a[(x == 1 -> 0 : 1)] = (x > 1 -> (x == 2 -> 20 : 30) : 10); x++
	:: (x == 3 -> a[1] == 20 : false) -> break
	od;
	c!(a[0] == 10 -> 1 : 2);
	c?eval((x == 3 -> 1 : 0));
	assert((true -> 1 : 0) + 1 == 2)
}
