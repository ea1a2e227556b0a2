/* expect: holds; states: 7; transitions: 9 */
/* deterministic choices and loops inside a d_step; the first option that can go is taken */
byte x, y;
active [2] proctype P()
{
	d_step {
		byte i = 0;
		if
		:: x == 0 -> y = 1
		:: x < 5 -> y = 2
		:: else -> y = 3
		fi;
		do
		:: i < 3 -> i++; x++
		:: i < 9 -> break
		od;
		i = 0
	}
}
