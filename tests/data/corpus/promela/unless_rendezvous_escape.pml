/* expect: holds; states: 27; transitions: 41 */
/* a rendezvous receive as guard of the escape */
chan c = [0] of { byte };
byte x;
active proctype P()
{
	byte v;
	{ x = 1; x = 2; x = 3 } unless { c?v -> x = v };
	x++
}
active proctype Q() { if :: c!7 :: skip fi }
