/* expect: holds; states: 10; transitions: 12 */
/* run with values of all kinds, cut to the types of the parameters */
chan c = [1] of { byte };
byte r;
proctype P(byte a; bit b; short s; chan q; int i)
{
	assert(a == 4 && b == 1 && s == -1 && i == 100000);
	q!a
}
init
{
	run P(260, 3, 65535, c, 100000);
	c?r;
	assert(r == 4)
}
