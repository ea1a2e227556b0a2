/* expect: holds; states: 10; transitions: 11 */
/* channels as process parameters, received messages in a parameter */
chan a = [1] of { byte };
chan b = [0] of { byte };
proctype P(chan in, out; byte v)
{
	out!v;
	in?v;
	assert(v == 3)
}
proctype Q(chan in, out)
{
	byte w;
	in?w;
	out!w + 1
}
init { atomic { run P(b, a, 2); run Q(a, b) } }
