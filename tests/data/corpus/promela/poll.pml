/* expect: holds; states: 14; transitions: 17 */
/* c?[..] is a condition without side effect */
chan c = [2] of { byte, byte };
byte v, r;
active proctype S() { c!1, 2; c!3, 4 }
active proctype R()
{
	byte k = 3;
	do
	:: c?[1, v] -> r = r + 1; c?1, v
	:: c?[eval(k), 4] && v == 2 -> r = r + 10; break
	:: !(c?[1, v]) && r == 0 && len(c) > 0 -> assert(false)
	od;
	assert(v == 2 && len(c) == 1)
}
