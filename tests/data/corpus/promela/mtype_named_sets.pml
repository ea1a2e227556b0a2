/* expect: holds; states: 16; transitions: 16 */
/* named mtype sets number their constants separately */
mtype:fruit = { apple, pear, plum };
mtype:tool = { saw, axe };
mtype:fruit f = pear;
mtype:tool t = saw;
byte v[4];
active proctype P()
{
	v[0] = f; v[1] = t;
	assert(v[0] == 2 && v[1] == 2);
	if
	:: f = apple
	:: f = plum
	:: t = axe
	fi;
	v[2] = f; v[3] = t
}
