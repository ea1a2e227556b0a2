/* expect: violated race; why: rounds that fail pass a fence, and the last one, which sees the flag, does not */
#define NOT_BEHIND_THE_LAST
#include "fence_behind_each_round.c"
