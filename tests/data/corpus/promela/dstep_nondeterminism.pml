/* expect: holds; states: 4; transitions: 4 */
/* of several executable options inside a d_step only the first counts */
byte x;
active proctype P()
{
	d_step {
		x = 1;
		if
		:: x == 2 -> x = 10
		:: x == 1 -> x = 20
		:: x > 0 -> x = 30
		:: true -> x = 40
		fi
	};
	assert(x == 20)
}
