/* N processes lose updates: 4, 36, 576 traces; 2, 6, 24 up to symmetry. */
#ifndef N
#define N 3
#endif

byte x

active [N] proctype counter() {
	byte r
	r = x
	x = r + 1
}
