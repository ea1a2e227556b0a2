/* expect: holds; states: 120; transitions: 273 */
/* each process picks up the messages that carry its own pid */
chan c = [3] of { pid, byte };
byte got;
active [3] proctype P()
{
	byte v;
	c!(_pid + 1) % 3, _pid;
	c??eval(_pid), v;
	assert((v + 1) % 3 == _pid);
	got++
}
