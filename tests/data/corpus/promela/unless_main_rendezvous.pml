/* expect: holds; states: 42; transitions: 68 */
/* the main sequence waits in a rendezvous receive when the escape comes */
chan c = [0] of { byte };
byte x, y;
active proctype P() { byte v; { c?v; x = v; x = v + 1 } unless { y == 1 -> x = 9 } }
active proctype Q() { if :: c!5 :: y = 1 fi }
active proctype R() { y = 1 }
