/* spin: states=15 transitions=25 errors=no */
/* three identical processes of one step */
byte x;
active [3] proctype P() { x++ }
