/* All take the left fork first: 2^N - 1 traces, one of them the deadlock; 2, 3 up to rotation for N = 2, 3. */
#ifndef N
#define N 3
#endif

bool fork[N]

active [N] proctype philosopher() {
	atomic { !fork[_pid] -> fork[_pid] = true }
	atomic { !fork[(_pid + 1) % N] -> fork[(_pid + 1) % N] = true }
	fork[_pid] = false
	fork[(_pid + 1) % N] = false
}
