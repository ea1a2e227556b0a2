/* expect: holds; states: 11; transitions: 13 */
/* constants in a receive pattern must match the first message */
chan c = [2] of { byte, byte };
byte r;
active proctype S() { c!1, 7; c!2, 8 }
active proctype R()
{
	byte v;
	do
	:: c?2, v -> r = v; break
	:: c?1, v -> r = v
	:: c?1, 8 -> assert(false)
	od
}
