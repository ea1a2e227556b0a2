/* expect: holds; states: 13; transitions: 19 */
/* an atomic that ends in a loop with break */
byte x;
active [2] proctype P()
{
	byte i;
	atomic {
		do
		:: i < 2 -> i++; x++
		:: i == 2 -> break
		od
	};
	x = x + 10
}
