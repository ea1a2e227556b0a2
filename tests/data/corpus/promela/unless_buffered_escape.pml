/* expect: holds; states: 18; transitions: 24 */
/* a buffered receive as guard of the escape */
chan c = [1] of { byte };
byte x;
active proctype P() { { x = 1; x = 2; x = 3 } unless { c?x -> x = x + 10 } }
active proctype Q() { c!5 }
