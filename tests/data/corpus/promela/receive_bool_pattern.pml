/* expect: holds; states: 8; transitions: 8 */
/* true and false in patterns, bool fields cut to one bit */
chan c = [2] of { bool, bit };
byte r;
active proctype P() { c!true, 0; c!2, 3; if :: c?true, 0 -> r = 1 :: c?false, _ -> r = 2 fi; if :: c?true, 1 -> r = r + 10 :: c?false, 1 -> r = r + 20 fi }
