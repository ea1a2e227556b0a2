/* expect: violated deadlock; states: 4; transitions: 4 */
/* a provided clause that uses the pid; the death of the process needs it too */
byte turn;
active [2] proctype P() provided (turn == _pid) { turn = 1 - _pid; skip }
