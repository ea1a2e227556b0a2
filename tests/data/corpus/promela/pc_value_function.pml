/* expect: holds; states: 5; transitions: 5; options: --no-claim */
/* pc_value() in a never claim */
byte x;
active proctype P() { x++; x++; x++ }
never { do :: pc_value(0) == 2 -> break :: else od }
