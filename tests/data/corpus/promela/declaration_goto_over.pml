/* expect: holds; states: 11; transitions: 11 */
/* a late initialiser that is jumped over leaves 0 */
byte z;
active proctype P()
{
	if
	:: goto over
	:: skip
	fi;
	byte b = 9;
	z = 2;
over:	assert(b == 9 || b == 0 && z == 0);
	z = b
}
