/* Tickets: the order of pids decides ties. */
#define N 3
byte ticket[N], in;
active [N] proctype P() {
  byte i, most;
  atomic {
    most = 0;
    for (i : 0 .. N - 1) {
      if :: ticket[i] > most -> most = ticket[i] :: else fi
    }
    ticket[_pid] = most + 1
  }
  (_pid == 0 || ticket[0] == 0 || ticket[_pid] < ticket[0] || (ticket[_pid] == ticket[0] && _pid < 0));  /* breaks */
  (_pid == 1 || ticket[1] == 0 || ticket[_pid] < ticket[1] || (ticket[_pid] == ticket[1] && _pid < 1));  /* breaks */
  in++; assert(in == 1); in--;
  ticket[_pid] = 0
}
