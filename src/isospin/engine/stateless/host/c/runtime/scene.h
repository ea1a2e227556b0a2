/* What tells threads apart in the current state: who is named where.  Found out once for each state. */
#ifndef ISOSPIN_SCENE_H
#define ISOSPIN_SCENE_H

#include "memory.h"

/* The threads that are named in what can still be read, outside of the memory of `a` and `b` themselves. */
thread_set scene_named(int a, int b);
/* Is there an address from low to high in what can still be read, other than inside of these bytes?  Pointers that are
 * only to be freed do not count. */
bool scene_points_to(uintptr_t low, uintptr_t high);

#endif
