/* expect: holds; states: 11; transitions: 13 */
/* end label at the end of a body, and a body that ends in an if */
byte x;
active proctype P()
{
	if
	:: x == 1
	:: x == 2 -> x = 3
	fi;
end:	x == 7
}
active proctype Q() { x++; x++ }
