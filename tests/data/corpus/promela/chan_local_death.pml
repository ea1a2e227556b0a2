/* expect: holds; states: 32; transitions: 41 */
/* local channels disappear with their process and the queue numbers are used again */
byte x;
proctype P()
{
	chan q = [1] of { byte };
	q!_pid;
	q?x
}
init { run P(); run P(); (_nr_pr == 1) -> run P() }
