/* expect: holds; states: 25; transitions: 25 */
/* unsigned fields of 1, 3, 5 and 8 bits drop the higher bits */
unsigned a : 3 = 6;
unsigned b : 1, c : 5 = 31;
unsigned d : 8;
int three = 3;
active proctype P()
{
	do
	:: a != 2 -> a++
	:: a == 2 -> break
	od;
	c++; assert(c == 0);
	c--; assert(c == 31);
	b = three; assert(b == 1);
	b++; assert(b == 0);
	d = three + 508; assert(d == 255);
	c = 1 - three; assert(c == 30);
	a = a - 5; assert(a == 5)
}
