/* N processes insert 4 messages each into a hash table of 128 cells: 1, 8, 64, 512 traces for N = 11 .. 14.
   Flanagan, Godefroid, POPL 2005. */
#ifndef N
#define N 11
#endif

short table[128]

active [N] proctype indexer() {
	byte m
	short w, h
	do
	:: m < 4 ->
		m++
		w = m * 11 + _pid
		h = (w * 7) % 128
again:
		if
		:: atomic { table[h] == 0 -> table[h] = w }
		:: else -> h = (h + 1) % 128; goto again
		fi
	:: else -> break
	od
}
