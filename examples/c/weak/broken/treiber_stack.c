/* expect: violated race; why: the node is seen before what is in it */
#define WEAK
#include "../treiber_stack.c"
