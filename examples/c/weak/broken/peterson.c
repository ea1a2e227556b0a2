/* expect: violated assertion; why: both read the flag of the other before their own one is seen */
#define WEAK
#include "../peterson.c"
