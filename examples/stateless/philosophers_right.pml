/* One takes the right fork first: 2^N - 2 traces, and no deadlock. */
#ifndef N
#define N 3
#endif

bool fork[N]

proctype philosopher(byte first; byte second) {
	atomic { !fork[first] -> fork[first] = true }
	atomic { !fork[second] -> fork[second] = true }
	fork[first] = false
	fork[second] = false
}

init {
	byte i
	atomic {
		do
		:: i < N - 1 -> run philosopher(i, i + 1); i++
		:: else -> break
		od
		run philosopher(0, N - 1)
	}
}
