/* expect: holds; states: 14; transitions: 14 */
/* late declarations: one step for each variable, initialised or not */
typedef T { byte f = 3; byte g[2] };
byte r;
active proctype P()
{
	r = 1;
	byte x;
	byte y[2];
	T t;
	chan c;
	unsigned u : 3;
	byte p, q = 4, s;
	mtype m;
	assert(t.f == 3 && q == 4);
	r = 2
}
