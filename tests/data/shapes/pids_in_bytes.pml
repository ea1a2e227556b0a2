/* Pids in byte variables and through byte channels. */
chan ask = [2] of { byte };
byte grant, used[5];
active [3] proctype Client() {
  do
  :: ask!_pid; grant == _pid + 1; used[_pid] = 1; used[_pid] = 0; grant = 0
  od
}
active proctype Server() {
  byte who;
  do :: ask?who; grant = who + 1; grant == 0 od
}
