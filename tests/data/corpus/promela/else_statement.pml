/* spin: states=20 transitions=27 errors=no */
/* else outside any choice */
byte x;
active proctype P() { x = 1; else; x = 2 }
active proctype Q() { x++ }
