/* expect: holds; states: 40; transitions: 61 */
/* nested indices and an index computed from a variable */
byte a[4], i = 1, j;
active [2] proctype P()
{
	a[i] = i + 1;
	a[a[i] % 4] = a[i] + 1;
	j = a[(i + a[1]) & 3];
	i = (i + 1) % 4
}
