/* Two processes store to x four times each, a third one loads it: 9 ways to read, 630 traces, 126 up to symmetry. */
byte x

active [2] proctype store() {
	x = 1;
	x = 2;
	x = 3;
	x = 4
}

active proctype load() {
	byte y;

	y = x;
	assert(y <= 4)
}
