/* expect: holds; states: 8; transitions: 8 */
/* fields are stored from left to right: an index may be a field of the same message */
chan c = [2] of { byte, byte };
byte a[3], i;
active proctype P()
{
	c!1, 7;
	c!2, 8;
	c?i, a[i]; assert(i == 1 && a[0] == 0 && a[1] == 7);
	c?i, a[i]; assert(i == 2 && a[2] == 8)
}
