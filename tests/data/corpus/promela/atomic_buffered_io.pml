/* expect: holds; states: 9; transitions: 9 */
/* buffered send and receive inside an atomic */
chan c = [1] of { byte };
byte x;
active proctype S() { atomic { c!1; c!2; c!3; x = 1 } }
active proctype R() { byte v; atomic { c?v; c?v; x = v; c?v } }
