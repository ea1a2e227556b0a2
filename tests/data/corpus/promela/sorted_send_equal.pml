/* expect: holds; states: 10; transitions: 10 */
/* a sorted send of a message equal to one that is there */
chan c = [4] of { byte, bit };
byte v;
active proctype P() { c!!2, 0; c!!1, 0; c!!2, 0; c!!1, 1; c?v, 0; c?v, 1; assert(v == 1); c?2, _ }
