/* expect: holds; states: 47; transitions: 63 */
/* goto out of the main sequence and out of the escape */
byte x, y;
active proctype P()
{
	{ x = 1; if :: goto out :: x = 2 fi; x = 3 } unless { y == 1 -> goto fin };
	x = 4;
out:	x = x + 10;
fin:	x++
}
active proctype Q() { y = 1 }
