/* expect: holds; states: 79; transitions: 209 */
/* active [n] with a macro, and several proctypes in order of their pids */
#define N 3
byte order[5];
active proctype A() { order[_pid] = 1 }
active [N] proctype B() { order[_pid] = 2 }
active [1] proctype C() { order[_pid] = 3; assert(_pid == 4) }
