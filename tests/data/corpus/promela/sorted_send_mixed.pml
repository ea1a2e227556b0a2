/* expect: holds; states: 54; transitions: 71 */
/* !! and ! on the same channel by several processes */
chan c = [4] of { short };
active proctype P() { c!!5; c!!-1 }
active proctype Q() { c!3; c!!4 }
active proctype R() { short v; c?v; (len(c) == 3); c?v; c?v }
