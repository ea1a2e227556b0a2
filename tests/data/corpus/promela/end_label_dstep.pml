/* expect: holds; states: 10; transitions: 12 */
/* end label before a d_step whose guard blocks */
byte x;
active [2] proctype P()
{
endD:	d_step { x == 1; x = 2 }
}
active proctype Q() { if :: x = 1 :: skip fi }
