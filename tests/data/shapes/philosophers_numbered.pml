/* Philosophers with a number as parameter: rotations. */
#define N 4
bool chopstick[N];
proctype Phil(byte i) {
  do
  :: atomic { !chopstick[i] -> chopstick[i] = true };
     atomic { !chopstick[(i + 1) % N] -> chopstick[(i + 1) % N] = true };  /* breaks */
     chopstick[i] = false; chopstick[(i + 1) % N] = false
  od
}
init { byte k; atomic { do :: k < N -> run Phil(k); k++ :: else -> break od } }
