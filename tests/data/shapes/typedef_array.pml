/* Records, one for each process. */
typedef Account { byte money; bool open; pid friend };
Account account[3];
active [3] proctype Owner() {
  account[_pid].friend = _pid;
  do
  :: !account[_pid].open -> account[_pid].open = true
  :: account[_pid].open && account[_pid].money < 1 -> account[_pid].money++
  :: account[_pid].money > 0 -> account[account[_pid].friend].money--
  :: account[_pid].open -> account[_pid].open = false
  od
}
