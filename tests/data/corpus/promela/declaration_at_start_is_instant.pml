/* expect: holds; states: 31; transitions: 36 */
/* leading initialisers cost no step, and are computed when the process starts */
byte g = 1;
proctype P()
{
	byte a = g + 1;
	byte b = a + g;
	g = b
}
init { run P(); g = 10; run P() }
