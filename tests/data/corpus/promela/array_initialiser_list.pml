/* expect: holds; states: 9; transitions: 9 */
/* initialiser lists for global and local arrays, shorter than the array as well */
byte a[3] = { 1, 2, 3 };
int n[4] = { 300, 700 };
active proctype P()
{
	byte l[3] = { 4, 5, 6 };
	byte sum = a[0] + a[1] * 10;
	assert(sum == 21);
	assert(a[2] == 3);
	assert(n[0] + n[1] == 1000);
	assert(n[2] == n[3]);
	sum = n[3];
	assert(l[0] == 4);
	assert(l[1] == 5 && l[2] == 6)
}
