/* expect: violated deadlock; states: 5; transitions: 5 */
/* buffered send and receive inside a d_step */
chan c = [2] of { byte };
byte x;
active proctype P() { d_step { c!1; c!2; c?x }; d_step { c?x; x = x + 5 } }
active proctype Q() { byte v; c?v }
