/* expect: holds; states: 55; transitions: 83 */
/* typedef inside typedef, arrays of both, arrays inside */
typedef In { byte v[2]; bit f };
typedef Out { In x; In y[2]; short s = -3 };
Out o[2];
active [2] proctype P()
{
	o[_pid].y[1].v[_pid] = _pid + 1;
	o[1 - _pid].x.f = 1;
	o[_pid].s = o[_pid].s + o[1 - _pid].y[1].v[1 - _pid];
	assert(o[_pid].s >= -3 && o[_pid].s <= -1)
}
