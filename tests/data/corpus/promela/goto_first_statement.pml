/* expect: holds; states: 13; transitions: 13 */
/* goto as the very first and as the very last statement of a body */
byte x;
active proctype P()
{
	goto b;
a:	x = 5;
	goto c;
b:	x = 1;
	goto a;
c:	x = 6;
	if :: x == 6 -> x = 7; goto d :: goto d fi;
d:	skip;
	goto e;
e:
}
