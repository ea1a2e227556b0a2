/* expect: violated race; why: the object is seen before it is made */
#define WEAK
#include "../double_checked.c"
