/* N processes take blocks for their inodes: 1, 2, 8, 32, 128 traces for N = 13, 14, 16, 18, 20.
   Flanagan, Godefroid, POPL 2005. */
#ifndef N
#define N 13
#endif
#define BLOCKS 26
#define INODES 32

bool locki[INODES], lockb[BLOCKS], busy[BLOCKS]
byte inode[INODES]

active [N] proctype process() {
	byte i, b
	i = _pid % INODES
	atomic { !locki[i] -> locki[i] = true }
	if
	:: inode[i] == 0 ->
		b = (i * 2) % BLOCKS
again:
		atomic { !lockb[b] -> lockb[b] = true }
		if
		:: !busy[b] ->
			busy[b] = true
			inode[i] = b + 1
			lockb[b] = false
		:: else ->
			lockb[b] = false
			b = (b + 1) % BLOCKS
			goto again
		fi
	:: else
	fi
	locki[i] = false
}
