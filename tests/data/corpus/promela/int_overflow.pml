/* expect: holds; states: 12; transitions: 12 */
/* int is 32 bits wide and wraps in two's complement */
int n = 2147483647;
int m;
active proctype P()
{
	n = n + 1;
	assert(n < 0);
	m = n;
	n = n - 1;
	assert(n > 0 && n == 2147483647);
	n = 65536;
	n = n * 65536;
	assert(n == 0);
	m = m / 2;
	assert(m == -1073741824)
}
