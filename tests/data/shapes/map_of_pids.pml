/* A byte array from numbers to pids, filled by init: the server answers through it. */
byte member[3];
chan ask = [1] of { byte }; chan answer = [0] of { byte };
proctype Client(byte me) {
  do :: ask!me; answer?eval(_pid) od
}
active proctype Server() {
  byte who;
  do :: ask?who; answer!member[who] od
}
init {
  atomic { member[2] = run Client(2); member[0] = run Client(0); member[1] = run Client(1) }
}
