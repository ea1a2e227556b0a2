/* expect: holds; states: 19; transitions: 22 */
/* an if without executable option blocks until one is */
byte x;
active proctype P()
{
	if
	:: x == 2 -> x = 5
	:: x == 1 -> x = 7
	fi
}
active proctype Q() { x++; x++ }
