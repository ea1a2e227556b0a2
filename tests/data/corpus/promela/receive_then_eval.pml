/* expect: holds; states: 7; transitions: 7 */
/* a variable received in the same pattern that evaluates it */
chan c = [1] of { byte, byte };
byte v = 4;
active proctype P() { c!4, 4; c?v, eval(v); c!3, 4; if :: c?v, eval(v) -> v = 9 :: timeout -> v = 10 fi }
