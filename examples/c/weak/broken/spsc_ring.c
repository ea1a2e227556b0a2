/* expect: violated race; why: the consumer sees the index, and not yet what is in the slot */
#define WEAK
#include "../spsc_ring.c"
