/* expect: holds; states: 34; transitions: 54 */
/* plain sender, receiver inside an atomic */
chan c = [0] of { byte };
byte x;
active proctype S() { x = 1; c!5; x = x + 4 }
active proctype R() { byte v; atomic { c?v; x = 2; x = 3 }; x = x + 20 }
active proctype N() { x = x + 100 }
