/* expect: holds; states: 8; transitions: 8 */
/* messages of several fields are cut to the types of the fields */
chan c = [1] of { bit, byte, short, int, bool };
active proctype P()
{
	bit a; byte b; short s; int i; bool f;
	c!3, 260, 70000, 70000, 4;
	c?a, b, s, i, f;
	assert(a == 1);
	assert(b == 4);
	assert(s == 4464 && i == 70000);
	assert(f == 0)
}
