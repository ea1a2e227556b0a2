/* expect: violated deadlock; states: 42; transitions: 62 */
/* len, empty, nempty, full, nfull as guards */
chan c = [2] of { bit };
byte n;
active proctype P()
{
	do
	:: empty(c) -> c!1; n = n + len(c)
	:: nempty(c) && nfull(c) -> c!0; n = n + len(c)
	:: full(c) -> break
	od;
	assert(n == 3 && len(c) == 2);
	do
	:: nempty(c) -> c?_
	:: nfull(c) && len(c) == 0 -> break
	od
}
active proctype Q() { full(c); n = n + 0 }
