/* Does nothing follow from a graph?  foresee.h says why that may be said.
 *
 * *Threads that catch each other.*  What others may still write includes what they would write behind the rounds that
 * they are in.  Two readers and a writer of a queue are each in a round in which they saw something old, and each could
 * go on if another one did: none does.  So some threads are taken to write nothing, all that are in such rounds at
 * first; whoever could leave its round all the same is taken out, until nobody can.
 *
 * SOUND: let C be those that are left.  Of all that came in, nothing that came in before the newest of their fixed
 * reads is ever taken back, since that would take back this read as well.  What came in behind it are reads of their
 * rounds, and what takes back one of these.  In whatever follows let t be the first of C to leave its round.  It reads
 * a value with which it can: one that was there, or that somebody wrote who is not in C; that none of both lets it pass
 * has been found out, or is relied on.
 */
#ifndef ISOSPIN_VAIN_H
#define ISOSPIN_VAIN_H

#include "graphs/graph.h"

/* Does nothing follow from a graph, since a thread cannot leave the round of which this is the newest read?  What an
 * update of it would take from another one is left for later. */
bool is_in_vain(const struct graph *graph, event_number read);
/* The same of the read that came in last, or was changed, if it was a read. */
bool newest_is_in_vain(const struct graph *graph);

#endif
