/* Values with which a round cannot be left, whatever is read next.
 *
 * A lock of three states is tried by an exchange that writes "taken, and others wait".  If that was there already,
 * nothing has changed, and the thread looks at the lock until it is something else; then it tries again.  So each value
 * that it can see behind such an exchange leads back: no round that failed ends with the exchange, but all of them
 * contain it.  Where that is known, the exchange is held back as if it ended a round itself.
 *
 * Reference: Kokologiannakis, Ren, Vafeiadis, FMCAD 2021 (failed rounds of a loop are left out).
 * Differs: which read decides follows from what was seen to follow, not from the shape of the loop.
 *
 * SOUND: let p be a read of a round that sees v, and changes nothing; s the read of the same variable that follows.  It
 * is concluded that p fails with v, if each value u that anybody was ever seen to write there, and the initial one, is
 * known to fail at s: (1) in a round of two reads or more, which contains p: it can be taken out of any execution, and
 * with it p; or (2) in a round of one read, so that the thread stays at s; and p is known to fail with u, too, or u is
 * v.  From an execution in which p sees v take out all failed rounds: p is gone, or its thread waits for ever at s, and
 * the last write is one of (2).  Then it can wait for ever at p as well, and for the same.  That nothing else is
 * written is relied on: of all such writes take one with the fewest events before it; with failed rounds taken out it
 * has no more, and nothing of its past is left out, so it is seen.
 */
#ifndef ISOSPIN_HOPELESS_H
#define ISOSPIN_HOPELESS_H

#include <stdbool.h>

/* A search begins: conclude what can be concluded, and rely on it. */
void conclude_failures(void);
/* Could more be concluded by now? */
bool is_more_to_conclude(void);

#endif
