/* expect: violated deadlock; states: 5; transitions: 5 */
/* a process may wait at an end label for ever */
chan c = [0] of { byte };
active proctype P() { end: c?1; c?2 }
active proctype Q() { if :: c!1 :: skip fi }
