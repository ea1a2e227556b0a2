/* expect: holds; states: 16; transitions: 16 */
/* one initialiser fills the whole array; arrays of length one */
byte a[3] = 7, b = 2, c[1] = 9;
short s[2] = -1;
active proctype P()
{
	byte i, l[4] = 3;
	do
	:: i < 3 -> assert(a[i] == 7); a[i] = a[i] + l[i] + s[i % 2]; i++
	:: else -> break
	od;
	assert(a[2] == 9 && c[0] == 9 && b == 2 && l[3] == 3)
}
