/* expect: violated deadlock; states: 7; transitions: 8 */
/* end label before an atomic whose guard blocks */
byte x;
active proctype P()
{
endA:	atomic { x == 1; x = 2 };
	x == 3
}
active proctype Q() { if :: x = 1 :: skip fi }
