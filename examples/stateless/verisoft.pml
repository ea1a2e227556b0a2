/* The philosophers of VeriSoft's Figure 2 (Godefroid, FORTE 1999): semaphores, left fork first, left fork back first. */
#ifndef N
#define N 3
#endif

byte s[N] = 1

#define semwait(k)    atomic { s[k] > 0 -> s[k]-- }
#define semsignal(k)  s[k]++

active [N] proctype philosopher() {
	semwait(_pid)
	semwait((_pid + 1) % N)
	semsignal(_pid)
	semsignal((_pid + 1) % N)
}
