/* N processes count under a lock: N! traces, one up to symmetry. */
#ifndef N
#define N 3
#endif

bool m
byte x

active [N] proctype locker() {
	atomic { !m -> m = true }
	x++
	m = false
}
