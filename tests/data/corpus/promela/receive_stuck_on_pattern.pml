/* expect: violated deadlock; states: 3; transitions: 3 */
/* a message that nobody wants blocks the queue */
chan c = [2] of { byte };
active proctype S() { c!1; c!2 }
active proctype R() { c?2; c?1 }
