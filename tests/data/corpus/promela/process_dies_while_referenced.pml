/* expect: holds; states: 8; transitions: 8 */
/* a chan variable in another process outlives the process that owned the channel */
chan box = [1] of { chan };
byte x;
active proctype User() { chan u; box?u; x = 1 }
active proctype Owner() { chan mine = [1] of { byte }; mine!3; box!mine; x == 1 }
