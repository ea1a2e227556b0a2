/* expect: holds; states: 102; transitions: 225 */
/* arrays of channels share nothing */
chan c[3] = [1] of { byte };
byte got;
active [3] proctype P()
{
	byte v;
	c[_pid]!_pid;
	c[(_pid + 1) % 3]?v;
	assert(v == (_pid + 1) % 3);
	got++
}
