/* expect: violated race; why: the node is seen before what is in it */
#define WEAK
#include "../michael_scott_queue.c"
