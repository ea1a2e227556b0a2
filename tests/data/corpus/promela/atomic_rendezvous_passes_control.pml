/* expect: holds; states: 29; transitions: 46 */
/* a rendezvous send inside an atomic gives control to the receiver if that is atomic too */
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; c!5; x = x + 10 } }
active proctype R() { byte v; atomic { c?v; x = 2; x = 3 }; x = x + 20 }
active proctype N() { x = x + 100 }
