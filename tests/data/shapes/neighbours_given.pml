/* Each is given its own number and that of its neighbour. */
bool held[4];

proctype P(byte mine; byte next) {
	do
	:: held[mine] && !held[next] -> held[mine] = 0; held[next] = 1  /* breaks: a neighbour */
	od
}

init {
	atomic {
		held[0] = 1;
		run P(0, 1); run P(1, 2); run P(2, 3); run P(3, 0)
	}
}
