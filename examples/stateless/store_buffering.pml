/* Each writes its own cell and reads that of its neighbour: 2^N - 1 traces; 2, 3, 5 up to rotation. */
#ifndef N
#define N 3
#endif

byte x[N]

active [N] proctype node() {
	byte r
	x[_pid] = 1
	r = x[(_pid + 1) % N]
	assert(r <= 1)
}
