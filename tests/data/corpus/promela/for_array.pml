/* expect: holds; states: 14; transitions: 14 */
/* for over the indices of an array */
byte s;
byte a[3] = { 4, 5, 6 };
active proctype P()
{
	byte i;
	for (i in a) { s = s + a[i] }
	assert(s == 15)
}
