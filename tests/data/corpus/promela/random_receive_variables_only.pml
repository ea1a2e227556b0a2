/* expect: holds; states: 9; transitions: 9 */
/* ?? without constants is an ordinary receive */
chan c = [3] of { byte };
byte v, w;
active proctype P() { c!3; c!1; c!2; c??v; assert(v == 3); c??w; c??eval(v - 1) }
