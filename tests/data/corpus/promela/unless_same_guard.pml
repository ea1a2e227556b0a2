/* expect: holds; states: 5; transitions: 5 */
/* outer and inner escape with the same guard: the outer one goes */
byte x;
active proctype P()
{
	{ { x = 1 } unless { x == 0 -> x = 20 } } unless { x == 0 -> x = 30 };
	assert(x == 30)
}
