/* expect: violated assertion; states: 8; transitions: 8 */
/* parameters of an inline are substituted as text */
byte a[3], k;
inline put(where, what) { a[where] = what; k = k + what }
inline twice(v) { v = v * 2 }
active proctype P()
{
	put(k, k + 1);
	put(k, 5 - 2);
	twice(a[1]);
	assert(a[0] == 1 && a[1] == 8)
}
