/* expect: holds; states: 10; transitions: 10 */
/* plain and progress labels on gotos and breaks */
byte x;
active proctype P()
{
	x = 1;
a:	goto l;
	x = 3;
l:	x = 5;
progress:	goto m;
	x = 6;
m:	x = 7;
	do :: x == 7 -> w: break od;
	do :: x == 7 -> accept: break od;
	x = 8
}
