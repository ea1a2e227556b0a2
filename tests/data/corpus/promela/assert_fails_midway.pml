/* expect: violated assertion; states: 17; transitions: 17 */
/* exploration goes on after a failed assertion */
byte x;
active proctype P()
{
	do
	:: x < 4 -> x++; assert(x != 2)
	:: x == 4 -> break
	od;
	assert(x == 3);
	x = 9
}
