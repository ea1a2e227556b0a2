/* expect: holds; states: 12; transitions: 13 */
/* two senders on a channel that one of them claims for itself */
chan c = [1] of { byte };
active proctype S() { xs c; c!1 }
active proctype T() { c!2 }
active proctype R() { byte v; c?v; c?v }
