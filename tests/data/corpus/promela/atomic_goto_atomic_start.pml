/* expect: holds; states: 21; transitions: 33 */
/* a jump from an atomic to a label on another atomic */
byte x;
active [2] proctype P()
{
	atomic { x++; goto b };
	x = 60;
b:	atomic { x++; x++ };
	x--
}
