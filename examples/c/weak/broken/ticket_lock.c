/* expect: violated race; why: the next one does not see what was done under the lock */
#define WEAK
#include "../ticket_lock.c"
