/* expect: holds; states: 17; transitions: 21 */
/* a record with an array as a message: the elements are fields */
typedef T { byte a[2]; byte b };
chan q = [2] of { byte, T };
active proctype P() { T t; t.a[0] = 1; t.a[1] = 2; t.b = 3; q!7(t); t.a[1] = 4; q!8, t }
active proctype Q() { T t; byte x, y, z; q?7, t; assert(t.a[1] == 2 && t.b == 3); q?_, x, y, z; assert(x == 1 && y == 4) }
