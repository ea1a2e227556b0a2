/* expect: violated assertion; why: nothing keeps the second look at the sequence behind the data */
#define WITHOUT_FENCE
#include "fenced_seqlock.c"
