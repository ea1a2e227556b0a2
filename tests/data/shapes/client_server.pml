/* Clients send their pid and their channel. */
mtype = { request, reply };
chan server = [1] of { mtype, pid, chan };
active [3] proctype Client() {
  chan me = [1] of { mtype };
  do :: server!request, _pid, me; me?reply od
}
active proctype Server() {
  pid who; chan back;
  do :: server?request, who, back -> back!reply od
}
