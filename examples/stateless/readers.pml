/* One writer, N readers: 2^N traces, N + 1 up to symmetry. */
#ifndef N
#define N 3
#endif

byte x

active proctype writer() {
	x = 1
}

active [N] proctype reader() {
	byte r
	r = x
	assert(r <= 1)
}
