/* expect: holds; states: 7; transitions: 7 */
/* a late array: only the first element gets the initial value */
byte z;
active proctype P()
{
	z = 1;
	byte a[3] = 5;
	assert(a[0] == 5);
	assert(a[1] == 0 && a[2] == 0);
	a[0] = 1
}
