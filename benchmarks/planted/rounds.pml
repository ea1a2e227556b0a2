/* Two locks, taken in the right order in all rounds but the 40th of the last worker. */
#define N 6
#define ROUNDS 40
byte lock[2];
byte done[N];
inline take(l) { atomic { lock[l] == 0 -> lock[l] = 1 } }
inline give(l) { lock[l] = 0 }
active [N] proctype worker() {
    byte me = _pid;
    do
    :: done[me] < ROUNDS ->
        if
        :: me == N - 1 && done[me] == ROUNDS - 1 -> take(1); take(0)
        :: else -> take(0); take(1)
        fi;
        give(0); give(1); done[me]++
    :: else -> break
    od
}
