/* expect: holds; states: 28; transitions: 34 */
/* a pid is used again after its process died */
byte seen;
proctype P() { seen = seen + _pid }
init
{
	byte i;
	do
	:: i < 3 -> run P(); i++; _nr_pr == 1
	:: else -> break
	od;
	assert(seen == 3)
}
