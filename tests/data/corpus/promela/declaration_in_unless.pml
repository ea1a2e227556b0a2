/* expect: holds; states: 11; transitions: 15 */
/* a declaration at the start of an escape is its guard */
byte r;
active proctype P() { { byte q = 3; r = q; r = 4 } unless { byte e; r == 7 -> r = 8 } }
active proctype Q() { r = 7 }
