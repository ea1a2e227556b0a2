/* expect: holds; states: 8; transitions: 8 */
/* negative and large constants in receive patterns */
chan c = [2] of { short, int };
int n;
active proctype P() { c!-3, -70000; c!300, 7; c?-3, n; assert(n == -70000); c?300, n; assert(n == 7) }
