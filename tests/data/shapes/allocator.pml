/* A server with resources that are all alike: clients and resources are exchanged. */
#define FREE 9
byte holder[2] = FREE;
chan request = [1] of { byte };
active [3] proctype Client() {
  do
  :: request!_pid; (holder[0] == _pid || holder[1] == _pid);
     atomic { if :: holder[0] == _pid -> holder[0] = FREE :: holder[1] == _pid -> holder[1] = FREE fi }
  od
}
active proctype Server() {
  byte who;
  do
  :: request?who;
     if :: atomic { holder[0] == FREE -> holder[0] = who } :: atomic { holder[1] == FREE -> holder[1] = who } fi
  od
}
