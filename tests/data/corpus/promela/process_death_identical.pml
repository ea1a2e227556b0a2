/* expect: holds; states: 15; transitions: 25 */
/* three identical processes of one step */
byte x;
active [3] proctype P() { x++ }
