/* A barrier: the last that arrives lets everybody go. */
#define N 3
byte count; bool go[N];
active [N] proctype P() {
  byte i;
  do
  :: atomic {
       count++;
       if
       :: count == N ->
          count = 0;
          for (i : 0 .. N - 1) { go[i] = true }
       :: else
       fi
     };
     atomic { go[_pid] -> go[_pid] = false }
  od
}
