/* expect: holds; states: 26; transitions: 39 */
/* atomic as an option, and as the tail of an option */
byte x;
active [2] proctype P()
{
	do
	:: atomic { x < 3 -> x++; x = x + 0 }
	:: x == 3 -> atomic { x++; x++ }
	:: x > 3 -> break
	od
}
