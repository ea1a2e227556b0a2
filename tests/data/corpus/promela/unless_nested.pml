/* expect: holds; states: 83; transitions: 148 */
/* nested unless: which escape goes first when both hold */
byte x, a, b;
active proctype P()
{
	{ { x = 1; x = 2; x = 3 } unless { a -> x = 20 } } unless { b -> x = 30 };
	x = x + 1
}
active proctype A() { a = 1 }
active proctype B() { b = 1 }
