/* expect: holds; states: 16; transitions: 21 */
/* m(a,b) is the same as m,a,b on both sides */
mtype = { data, stop };
chan c = [2] of { mtype, byte, byte };
active proctype S() { c!data(1, 2); c!data, 3, 4; c!stop(0, 0) }
active proctype R()
{
	byte x, y;
	do
	:: c?data(x, y) -> assert(y == x + 1)
	:: c?stop(_, _) -> break
	od
}
