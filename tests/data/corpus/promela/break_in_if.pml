/* expect: violated deadlock; states: 12; transitions: 13 */
/* break inside an if inside a loop */
byte x;
active proctype P()
{
	do
	:: x++;
		if
		:: x == 2 -> break
		:: x == 3 -> break
		:: x < 4
		fi
	od;
	x = 10
}
