/* Left and right neighbour are looked at alike: rotations and reflections. */
#define N 5
bool eating[N];
active [N] proctype Phil() {
  do
  :: atomic { !eating[(_pid + 1) % N] && !eating[(_pid + N - 1) % N] -> eating[_pid] = true };  /* breaks */
     assert(!(eating[(_pid + 1) % N] || eating[(_pid + 4) % N]));
     eating[_pid] = false
  od
}
