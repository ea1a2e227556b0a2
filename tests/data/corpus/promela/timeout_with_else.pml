/* expect: holds; states: 7; transitions: 7 */
/* timeout beside guards while another process can still take its else */
byte x, y;
active proctype P()
{
	do
	:: timeout -> y = 1; break
	:: x == 1 -> break
	:: x == 2 -> y = 2; break
	od;
	y = 3
}
active proctype Q()
{
	do
	:: x == 9 -> skip
	:: else -> break
	od
}
