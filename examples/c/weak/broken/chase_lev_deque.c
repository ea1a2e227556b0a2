/* expect: violated assertion; why: the owner and a thief take the same item */
#define WEAK
#include "../chase_lev_deque.c"
