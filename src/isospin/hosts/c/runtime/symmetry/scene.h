/* What tells threads apart in the current state: who is named where.  Found out once for each state. */
#ifndef ISOSPIN_SCENE_H
#define ISOSPIN_SCENE_H

#include "fibers/memory.h"

/* Takes each place that a thread stands at, and from which it goes on; false if some are not known.  `stands`: the call
 * before the place is in progress, and has effects to come. */
typedef void place_taker(const struct place *place, bool stands);
bool take_places(const struct thread *thread, place_taker *take);
/* Does code that it goes on with look at errno, as far as is known? */
bool scene_looks_at_errno(const struct thread *thread);
/* The threads that are named in what can still be read, outside of the memory of `these` themselves. */
thread_set scene_named(thread_set these);
/* The same for a renaming that moves cells: is all that can still be read, besides the memory of the threads that move
 * and the cells that move, without a name of these? */
bool scene_stays(const struct renaming *renaming);
/* Where threads that move are named outside of their memory, the cells with the names move, too, if they can: `t[i]` in
 * a bystander. */
void scene_bind_names(struct renaming *renaming);
/* Main waits for all others: is there no way any more by which one of them could touch this variable or block? */
bool scene_out_of_reach(uintptr_t address);
/* May code that is still to be executed name this variable of the program? */
bool scene_reaches(int global);
/* Is there code of which that is not known? */
bool scene_reaches_everything(void);
/* May it get from one element of an array to another by arithmetic with pointers, if they have this size? */
bool scene_walks(size_t size);
/* Is there an address from low to high in what can still be read, other than inside of these bytes?  Pointers that are
 * only to be freed do not count. */
bool scene_points_to(uintptr_t low, uintptr_t high);
/* The same, but for variables of libraries. */
bool scene_program_points_to(uintptr_t low, uintptr_t high);

#endif
