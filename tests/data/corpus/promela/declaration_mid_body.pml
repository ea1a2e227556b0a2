/* expect: holds; states: 8; transitions: 8 */
/* an initialiser past the start of the body is a step at its place */
byte g;
active proctype P()
{
	byte a = 1;
	g = 5;
	byte b = g + 1;
	g = b;
	byte c = g + b + a;
	assert(c == 13);
	g = c
}
