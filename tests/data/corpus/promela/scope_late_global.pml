/* expect: holds; states: 14; transitions: 20 */
/* a global declared after a proctype with a local of the same name is another variable */
proctype P()
{
	byte x = 3;
	x = x + 1;
	assert(x == 4)
}
byte x = 8;
init { run P(); x++; assert(x == 9) }
