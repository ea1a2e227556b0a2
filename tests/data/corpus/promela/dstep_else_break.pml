/* expect: holds; states: 5; transitions: 5 */
/* else and break inside a d_step */
byte x, i;
active proctype P()
{
	do
	:: d_step {
		i < 2 ->
		do
		:: x < 3 * (i + 1) -> x++
		:: else -> break
		od;
		i++
	   }
	:: else -> break
	od
}
