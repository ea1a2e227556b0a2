/* expect: holds; states: 158; transitions: 298 */
/* a jump at the end of an atomic sequence into another one keeps control */
byte c;
active [2] proctype P()
{
	atomic { c = 1; if :: c == 1 -> goto M :: c = 2 fi };
	c++;
	atomic { c = 3; M: c++; c = c * 2 };
	atomic { c--; if :: c > 5 -> { goto M } :: else fi }
}
