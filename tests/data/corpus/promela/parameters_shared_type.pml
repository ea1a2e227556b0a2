/* expect: holds; states: 15; transitions: 21 */
/* parameters of one type listed together, used as locals */
byte r;
proctype P(byte a, b; bit c)
{
	byte d = a + b;
	a = d * 2;
	r = r + a + c
}
init { atomic { run P(1, 2, 1); run P(3, 4, 2) } }
