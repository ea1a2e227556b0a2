/* expect: holds; states: 11; transitions: 12 */
/* an atomic that starts with a loop whose guards all block at first */
byte x;
active proctype P()
{
	atomic {
		do
		:: x == 1 -> x++
		:: x == 2 -> x = x + 3
		:: x == 5 -> break
		od;
		x++
	}
}
active proctype Q() { x = 1; x = 5 }
