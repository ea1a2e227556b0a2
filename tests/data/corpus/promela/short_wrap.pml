/* expect: holds; states: 14; transitions: 14 */
/* short wraps to negative values at 32768 */
short s = 32766;
int big = 65535;
active proctype P()
{
	s++; assert(s == 32767);
	s++; assert(s == -32768 && s < 0);
	s--; assert(s > 0);
	s = big; assert(s == -1);
	s = big + 4465; assert(s == 4464);
	s = -40000 * (big / 65535); assert(s == 25536)
}
