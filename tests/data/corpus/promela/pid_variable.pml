/* expect: holds; states: 27; transitions: 49 */
/* _pid of active, started and init processes */
byte v[5];
proctype C() { v[_pid] = _pid + 1 }
active [2] proctype P() { v[_pid] = _pid + 1 }
init { v[_pid] = _pid + 1; run C() }
