/* expect: holds; states: 265; transitions: 270 */
/* byte arithmetic is done in int and cut to 8 bits on assignment */
byte x = 250;
active proctype P()
{
	do
	:: x = x + 3
	:: x > 252 -> x++
	:: x == 5 -> x = x - 6; assert(x == 255)
	:: x == 100 -> x = x * 3; assert(x == 44); break
	od
}
