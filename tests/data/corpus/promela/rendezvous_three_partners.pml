/* expect: holds; states: 26; transitions: 29 */
/* one sender, several possible receivers, in one process and in others */
chan c = [0] of { byte };
byte x;
active proctype S() { c!1; x++ }
active [2] proctype R() { byte v; end: if :: c?v -> x = 5 :: c?1 -> x = 6 :: c?2 -> x = 7 fi }
