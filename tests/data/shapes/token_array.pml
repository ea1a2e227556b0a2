/* A token ring with an array: rotations. */
#define N 4
bool token[N] = false;
byte in;
active [N] proctype Node() {
  do
  :: atomic { token[_pid] -> in++ }; assert(in == 1);
     atomic { in--; token[_pid] = false; token[(_pid + 1) % N] = true }  /* breaks */
  od
}
init { token[0] = true }
