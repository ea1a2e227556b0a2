/* expect: holds; states: 10; transitions: 12 */
/* channels sent through channels */
chan hub = [1] of { chan };
active proctype Client()
{
	chan mine = [1] of { byte };
	byte v;
	hub!mine;
	mine?v;
	assert(v == 42)
}
active proctype Server()
{
	chan reply;
	hub?reply;
	reply!42
}
