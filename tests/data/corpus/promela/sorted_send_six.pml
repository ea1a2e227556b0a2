/* expect: holds; states: 46; transitions: 55 */
/* a longer channel with sorted sends from two processes */
chan c = [6] of { byte };
active proctype P() { c!!4; c!!2; c!!0 }
active proctype Q() { c!!3; c!!1; c!!5 }
active proctype R() { byte v, i; (len(c) == 6); for (i : 0 .. 5) { c?v; assert(v == i) } }
