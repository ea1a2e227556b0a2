/* expect: holds; states: 13; transitions: 15 */
/* a loop inside an atomic that blocks on a shared variable now and then */
byte x;
active proctype P()
{
	atomic {
		do
		:: x < 3 -> x++
		:: x == 4 -> x = 6
		:: x == 7 -> break
		od;
		x = 8
	};
	x = 9
}
active proctype Q() { x > 0; x++; x > 4; x++ }
