/* expect: holds; states: 19; transitions: 19 */
/* labels before if, do and atomic, after a guard, and several on one statement */
byte x;
active proctype P()
{
one:
two:	x++;
top:	if
	:: x == 1 -> first: goto one
	:: x == 2 -> goto loop
	:: x == 7 -> goto three
	fi;
loop:	do
	:: x < 5 -> lab: x++
	:: x == 5 -> goto at
	:: x == 6 -> break
	od;
at:	atomic { x++; inner: if :: x == 6 -> goto loop :: x == 7 fi };
	if
	:: x == 7 -> goto top
	:: x == 8
	fi;
three:	x = 0
}
