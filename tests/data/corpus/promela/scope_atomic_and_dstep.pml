/* expect: holds; states: 20; transitions: 27 */
/* atomic and d_step are blocks with their own scope */
byte out;
active [2] proctype P()
{
	atomic { byte x = 2; x++; out = out + x };
	d_step { byte x = 5; x = x + out; out = x }
}
