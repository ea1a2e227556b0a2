/* expect: holds; states: 8; transitions: 9; options: --no-claim */
/* np_ in a never claim; the counts are those of the system without it */
byte x;
active proctype P() { do :: x < 3 -> progress: x++ :: x == 3 -> x = 0 od }
never { do :: np_ -> break :: true od }
