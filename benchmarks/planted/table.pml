/* Twenty philosophers, each of whom eats twice; all take the left fork first. */
#define N 20
bool fork[N];
active [N] proctype philosopher() {
    byte meals, me = _pid;
    do
    :: meals < 2 ->
        atomic { !fork[me] -> fork[me] = true };
        atomic { !fork[(me + 1) % N] -> fork[(me + 1) % N] = true };
        meals++; fork[me] = false; fork[(me + 1) % N] = false
    :: else -> break
    od
}
