/* expect: holds; states: 15; transitions: 15 */
/* ++ and -- on array elements and fields, wrapping around */
typedef T { byte v[2] };
T t;
bit b;
short s = -32768;
active proctype P()
{
	byte a[2], i = 1;
	a[1]++; a[i]++; assert(a[1] == 2);
	t.v[0]--; assert(t.v[0] == 255);
	t.v[0]++; assert(t.v[0] == 0);
	b--; assert(b == 1);
	b++; assert(b == 0);
	s--; assert(s == 32767)
}
