/* expect: holds; states: 50; transitions: 50 */
/* bit and bool keep only the lowest bit of what is assigned */
bit a;
bool b;
byte seen;
active proctype P()
{
	do
	:: seen < 6 ->
		a = seen;
		assert(a == seen % 2);
		b = seen + 1;
		assert(b == (seen + 1) % 2);
		seen++
	:: seen >= 6 -> break
	od;
	a = seen - 4; assert(a == 0);
	b = seen + 1; assert(b == true);
	a++; a++; a++; assert(a == 1);
	b--; b--; assert(b)
}
