/* What follows a read of a round if plain memory is read behind it that others have written.
 *
 * A thread that pops from a stack reads the top, then plainly what lies below it, and then tries to exchange the two.
 * What it reads plainly decides what it does, and may race; and sometimes the race shows only in a round that fails.
 * If it is known that it does not, such a round is foreseen like any other.
 *
 * Reference: Kokologiannakis, Marmanis, Vafeiadis, CAV 2023, as for all that is foreseen (foresee.h).
 * Differs: they have no plain reads; here what a plain read will see follows from who was ever seen to write there.
 *
 * SOUND: let p be a plain read behind an atomic read r of a thread t, and s the spot that it reads.  It is *settled* in
 * a graph if (1) at most one thread w, and not t, was ever seen to store there; (2) behind one of its events in the
 * graph, e, it always stored the same value, and from the next one on, e', which is in the graph, nothing; (3) e'
 * happens before r.  Then p races with nothing, neither here nor in any graph that follows from this one with r in it:
 * all that is ever stored there happens before it, and what happens before r stays as long as r does.  For the same
 * reason it sees this value in all of them.  So nothing but r decides what comes next, and the round shows nothing if
 * it is not run.  What (1) and (2) rely on is compared with all that is seen; nothing is overlooked by that, for the
 * reason given in foresee.h: of all stores that were never seen take one with the fewest events before it.
 */
#ifndef ISOSPIN_SETTLED_H
#define ISOSPIN_SETTLED_H

#include "graphs/graph.h"

/* A question begins: nothing was relied on for it. */
void settled_begin(void);
/* The situation behind a read of a graph; 0: it is not known, or not settled what is read on the way. */
int next_behind(const struct graph *graph, event_number read);
/* The answer is that nothing follows: what was found to be settled since the beginning is relied on. */
void settled_rely(void);

#endif
