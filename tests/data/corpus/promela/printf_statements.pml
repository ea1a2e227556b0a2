/* expect: holds; states: 28; transitions: 41 */
/* printf and printm are steps that change nothing */
mtype = { hello };
byte x;
active proctype P()
{
	printf("x is %d, %c, %x, %o, %u and %e: 100%%\n", x, 'x', x, x, x, hello);
	x = 1;
	printf("a string with \"quotes\", // and /* inside */\n");
	printm(hello)
}
active proctype Q() { printf("q\n"); x = 2 }
