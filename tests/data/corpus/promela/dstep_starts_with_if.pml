/* expect: violated deadlock; states: 19; transitions: 23 */
/* a d_step that starts with a choice: are the first guards deterministic too? */
byte x;
active proctype P()
{
	d_step {
		if
		:: x < 5 -> x = 20
		:: x < 6 -> x = 30
		:: x > 6 -> x = 40
		fi;
		x++
	};
	x++
}
active proctype Q() { x = 5; x = 6 }
