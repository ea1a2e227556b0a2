/* Process 0 looks for the last zero; process i sets a[i] = a[i - 1] + 1: 12, 64, 320, 3328 traces for N = 3, 5, 7, 10. */
#ifndef N
#define N 3
#endif

byte a[N + 1]

active proctype looker() {
	byte i = N
	byte r
again:
	r = a[i]
	if
	:: r != 0 -> i = i - 1; goto again
	:: else
	fi
	assert(r == 0)
}

active [N] proctype setter() {
	byte r
	r = a[_pid - 1]
	a[_pid] = r + 1
}
