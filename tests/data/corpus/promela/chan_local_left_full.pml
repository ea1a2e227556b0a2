/* expect: holds; states: 28; transitions: 50 */
/* a local channel, a parameter and a left-over message: the queue dies with its process */
proctype P()
{
	chan q = [2] of { byte };
	q!1;
	if
	:: q!2
	:: skip
	fi
}
init { run P(); run P() }
