/* Updates that commute: additions, and so on, of the same kind to the same bytes, whose results nobody looks at.
 *
 * Reference: Mazurkiewicz 1977 (independence); that nobody looks at a result follows from the machine code behind the
 * call (binary/liveness.py, `is_result_unused`).
 *
 * SOUND: in both orders memory and both threads are the same afterwards, and neither keeps the other from going on; so
 * they are independent wherever they are pending.  Two things could tell the orders apart.  (1) Synchronisation: what
 * comes second may learn what the first thread did.  So a commuting update learns nothing (`forgot_order`).  With fewer
 * edges there are at most more races, and the edges that are left do not depend on the order; if a race is found, it
 * may be one only because of that, so it is not told: the search starts again, in order.  (2) A loop that waits
 * for a value between two of them: of accesses that commute any subset may come first, and a cut of the trail leaves
 * all but one.  Where there are such loops, updates do not commute.
 */
#ifndef ISOSPIN_COMMUTE_H
#define ISOSPIN_COMMUTE_H

#include "constants.h"

#include <stdbool.h>

/* How the update that the current thread is about to make commutes; the frame is that of the call into the runtime. */
enum commuting commuting_at(enum commuting kind, void **entry);
/* In this execution an update learnt nothing that it would have learnt in order. */
extern bool forgot_order;
/* From now on nothing commutes: the order may count.  If something did, the search starts again. */
void keep_order(void);

#endif
