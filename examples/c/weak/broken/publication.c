/* expect: violated race; why: a reader follows the pointer to what is not there yet */
#define WEAK
#include "../publication.c"
