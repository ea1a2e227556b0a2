/* expect: holds; states: 5; transitions: 5 */
/* else alone is always executable */
byte x;
active proctype P()
{
	if
	:: else -> x = 1
	fi;
	do
	:: else -> break
	od
}
