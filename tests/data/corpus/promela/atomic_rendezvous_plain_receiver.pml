/* expect: holds; states: 53; transitions: 82 */
/* atomic sender, receiver not atomic */
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; c!5; x = 4; x = 5 } }
active proctype R() { byte v; c?v; x = 2; x = 3 }
active proctype N() { x = x + 100 }
