/* expect: holds; states: 26; transitions: 35 */
/* else is taken when no receive is executable */
chan c = [1] of { byte };
byte e;
active proctype S() { c!1; c!2 }
active proctype R()
{
	do
	:: c?1 -> skip
	:: c?2 -> break
	:: else -> e = 1
	od
}
