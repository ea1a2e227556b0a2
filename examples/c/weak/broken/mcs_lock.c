/* expect: violated race; why: who gets the lock does not see what was done under it */
#define WEAK
#include "../mcs_lock.c"
