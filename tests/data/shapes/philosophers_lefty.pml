/* One philosopher takes the other fork first: it is alone, and so is everybody else by the distance from it. */
#define N 4
bool chopstick[N];
active [N] proctype Phil() {
  byte first, second;
  d_step {
    if
    :: _pid == 0 -> first = (_pid + 1) % N; second = _pid  /* breaks */
    :: else -> first = _pid; second = (_pid + 1) % N
    fi
  }
  do
  :: atomic { !chopstick[first] -> chopstick[first] = true };
     atomic { !chopstick[second] -> chopstick[second] = true };
     chopstick[first] = false; chopstick[second] = false
  od
}
