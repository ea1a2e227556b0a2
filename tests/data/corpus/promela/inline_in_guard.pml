/* expect: holds; states: 8; transitions: 8 */
/* an inline as the first statement of an option */
byte x;
inline ready(n) { x == n }
inline step() { x++ }
active proctype P()
{
	do
	:: ready(0) -> step()
	:: ready(1); step(); step()
	:: x == 3 -> break
	od
}
