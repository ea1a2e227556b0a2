/* expect: holds; states: 5; transitions: 5 */
/* a constant that does not fit into the field */
chan c = [1] of { byte };
byte x;
active proctype P() { c!258; if :: c?258 -> x = 1 :: c?2 -> x = 2 fi }
