/* expect: violated race; why: both read the flag of the other before their own one is seen */
#define WEAK
#include "../dekker.c"
