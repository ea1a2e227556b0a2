/* Twelve dials, each turned up and down by its own process; together they may not reach 84 of 108. */
#define N 12
byte dial[N]; short sum;
active [N] proctype turn() {
    byte me = _pid;
    do
    :: atomic { dial[me] < 9 -> dial[me]++; sum++; assert(sum < 84) }
    :: atomic { dial[me] > 0 -> dial[me]--; sum-- }
    od
}
