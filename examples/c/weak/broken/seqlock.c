/* expect: violated assertion; why: the reader does not notice that it read in the middle of a write */
#define WEAK
#include "../seqlock.c"
