/* expect: holds; states: 724; transitions: 1500 */
/* a label before for or select belongs to the loop, behind the first assignment */
byte c;
active [2] proctype P()
{
	byte i;
L:	for (i : 0 .. 1) { c++ }
	if :: c < 3 -> goto L :: else fi;
M:	select (i : 0 .. c);
	if :: c == 5 -> c = 0; goto M :: else fi
}
