/* expect: holds; states: 18; transitions: 23 */
/* mtype constants as message contents and as receive patterns */
mtype = { req, ack, nak };
chan c = [2] of { mtype, byte };
byte got;
active proctype S() { c!req(1); c!nak(2); c!ack(3) }
active proctype R()
{
	byte v;
	do
	:: c?req(v) -> got = got + v
	:: c?ack(v) -> got = got + 10 * v; break
	:: c?nak, v -> got = got + 100
	od;
	assert(got == 131)
}
