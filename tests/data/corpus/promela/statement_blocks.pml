/* expect: holds; states: 9; transitions: 9 */
/* a plain block is no step and may stand alone */
byte x;
active proctype P() { { { x = 1; x = 2 } }; { x = 3 }; if :: { x == 3; x = 4 } :: { x = 5 } fi }
