/* expect: violated use-after-free; why: the reader's mark is seen after the other looked for it */
#define WEAK
#include "../hazard_pointer.c"
