/* expect: holds; states: 21; transitions: 33 */
/* assignment to the write-only variable is a step that leaves no trace */
byte x;
active proctype P()
{
	_ = 5;
	x = 1;
	_ = x;
	x = 2
}
active proctype Q() { _ = x; _ = 7 }
