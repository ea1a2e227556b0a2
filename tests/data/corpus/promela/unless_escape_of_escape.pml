/* expect: holds; states: 66; transitions: 110 */
/* an unless whose escape sequence is itself guarded */
byte x, a, b;
active proctype P()
{
	{ x = 1; x = 2 } unless { { a -> x = 20; x = 21 } unless { b -> x = 30 } };
	x = x + 1
}
active proctype A() { a = 1 }
active proctype B() { b = 1 }
