/* expect: holds; states: 6; transitions: 7 */
/* a d_step that starts with a loop whose guards all block at first */
byte x;
active proctype P()
{
	d_step {
		do
		:: x == 1 -> x++
		:: x == 2 -> x = x + 3
		:: x == 5 -> break
		od;
		x++
	}
}
active proctype Q() { x = 1 }
