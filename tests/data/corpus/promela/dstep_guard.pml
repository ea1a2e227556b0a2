/* expect: holds; states: 49; transitions: 69 */
/* a d_step whose first statement blocks */
bit lock;
byte n;
active [3] proctype P()
{
	d_step { !lock -> lock = 1; n++ };
	assert(n == 1);
	d_step { n--; lock = 0 }
}
