/* expect: holds; states: 13; transitions: 19; options: --no-claim */
/* enabled() in a never claim; the counts are those of the system without it */
byte x;
active [2] proctype P() { x < 3 -> x++ }
never { do :: enabled(0) && !enabled(1) -> break :: else od }
