/* Will what keeps a thread waiting be written again?
 *
 * A revisit lets a read of a loop that waits see a write with which its round fails, as if the thread waited for ever;
 * and so it does, if that write stays the last one.  Mostly its thread goes on at once and writes the variable again,
 * as who gives back a lock.  Then nothing follows from the graph, and it need not be run.
 *
 * Reference: Kokologiannakis, Marmanis, Vafeiadis, CAV 2023 (executions that end in a blocked await are not explored).
 * Differs: they change the source of a blocked read in place; here what the writer does next was seen before.
 *
 * SOUND: let r be the read, w the write, t the thread of w.
 *
 * *It stays.*  Let P be the past of r, by program order and sources.  (1) P has no writes; or memory is sequential, and
 * each of them is one of the variable of r, or in the past of one that is in P; no locks were used; (2) all that came
 * in behind r lies in the past of w; (3) there is another write v with which r goes on, or the initial value, not older
 * than those in P, and r writes nothing then.  Then no revisit takes anything back of all that is there: it would take
 * back r, too, since r sees w, and only if r waits as the search would have it by itself: beside w, and with nothing to
 * go on with.  But w comes with all that is there, by (2), v is part of that, and r can see v.  Otherwise a write n
 * that comes behind v comes before r, so before a write k of P: all else in P follows only what is in P.  By (1), k is
 * of the variable, or comes before such a one that is in P; by (3) that is not newer than v, so k comes before n: a
 * cycle without r.  (Who stores into another variable of P, and has it before what P has there, may come before r, and
 * then r has to wait.)
 *
 * A read that stays sees w for ever.  So nothing follows if w does not remain the last write: (4) t does nothing else
 * next than it was seen to do, reads nothing else, and wrote the variable each time, without anything that may block.
 * That is compared with all that is seen, and is seen if it is wrong: t does the same where r sees v.  (So that this is
 * no image of what is explored, that graph must be the one of its images that is.)  Nor does anything follow if the
 * round of r has a read that saw what is not the last (foresee.c): nobody waits for ever with that.
 *
 * *It does not stay.*  Left out is a graph if (1) nobody else writes anything any more, and no locks were used; (2) all
 * that came in behind r lies in the past of t; (3) t does nothing else next than it was seen to do, and each way on
 * leads to another write of the variable, without anything that may block; (4) on each of these ways r could go on with
 * another write that is there.  No execution follows: t can always move, so at the end w is not the last write.
 * Neither does any graph without r, or with another source of it: only t writes, so only its writes take anything back;
 * of what came in behind r they take back nothing, by (2); and r, or what came in before it, only together with r, if r
 * waits as the search would have it by itself, which it does not, by (4) before t has written the variable, and since
 * it does not see the last write afterwards.  What (1) and (3) rely on is compared with all that is seen.  If it is
 * wrong, that is seen: by (4) what t does is done, too, where r goes on.
 */
#ifndef ISOSPIN_AGAIN_H
#define ISOSPIN_AGAIN_H

#include "graphs/graph.h"

/* Of a read that is stuck: will what it saw be written again, so that nothing follows?  Relied on then. */
bool is_written_again(const struct graph *graph, event_number read);
/* Of the same: does nothing take it back, whatever follows? */
bool stays_as_it_is(const struct graph *graph, event_number read);
/* Did anybody use a lock or the like, not only begin, end or join threads? */
bool has_locks(const struct graph *graph);

#endif
