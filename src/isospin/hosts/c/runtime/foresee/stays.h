/* What stays of a graph, whatever follows.
 *
 * Reference: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022 (what a revisit takes back came in behind the
 * read that it changes).
 * Differs: what others may still write was seen before, so it is known which reads may be changed.
 *
 * A thread reads the top of a stack, another one takes it, and the first one cannot exchange it any more.  What it has
 * read is taken back when somebody writes the top again.  If nobody does, nothing follows from the graph, nor from any
 * of those in which the others go on in some other way; they were run to their ends, one and all.
 *
 * SOUND: let c be a stamp such that no thread was ever seen to write, behind what it did before c, a variable that
 * another one has read before c.  Then nothing that came in before c is ever taken back, nor sees anything else: take
 * the first write that does that.  Until then all of it is there, so its thread goes on from what it did before c, and
 * changes a read that came in later than c.  What this relies on is compared with all that is seen.  (Where locks are
 * used, operations on them take things back, too, and nothing is said.)
 */
#ifndef ISOSPIN_STAYS_H
#define ISOSPIN_STAYS_H

#include "graphs/graph.h"

/* The largest such stamp, if those that are taken to be caught (ways.h) write nothing; less than 0: it is not known. */
int32_t find_what_stays(const struct graph *graph);
/* That is relied on. */
void rely_on_what_stays(const struct graph *graph, int32_t stamp);

#endif
