/* expect: holds; states: 21; transitions: 31 */
/* channels inside typedefs, also in arrays */
typedef Port { chan in = [1] of { byte }; byte id };
Port p[2];
active [2] proctype P()
{
	byte v;
	p[_pid].id = _pid + 5;
	p[1 - _pid].in!p[_pid].id;
	p[_pid].in?v;
	assert(v == 6 - _pid)
}
