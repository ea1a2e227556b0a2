/* What a thread will do in a round of a loop that waits, without running it.
 *
 * A round changes nothing, so what a thread does next follows from where it is in the round (its *situation*) and from
 * what it reads there.  Both were seen before, as a rule.  So it can be told from a graph alone whether a thread can
 * leave the round that it is in: with what is written already, or with what others may still write.
 *
 * Reference: Kokologiannakis, Marmanis, Vafeiadis, CAV 2023 (executions that end in a blocked await are not begun).
 * Differs: they revisit a blocked read in place; here the rounds are known, also those of several reads, and what
 * cannot be left is not begun.
 *
 * SOUND: let r be a read of an open round that saw an old write when a newer one was there.  No revisit takes r back,
 * since none inserts it like that by itself; so it stays, with all that was inserted before it or for which it was
 * taken back itself.  If nothing else was inserted since, and each way on from r that is consistent leads to a read
 * that fails, no execution follows, but for what others have not written yet.  What they may write is what they were
 * seen to write after the same beginning (of their own events), in any execution.  If they turn out to write more, and
 * that was relied on, the search starts again.  That nothing is overlooked by that: take a write that was never seen,
 * of those the one with the fewest events before it.  Nothing in its past relies on a write that was never seen, so
 * its past is explored, and with it the write.  A thread that waits for ever sees the last writes, and is not left
 * out.
 */
#ifndef ISOSPIN_FORESEE_H
#define ISOSPIN_FORESEE_H

#include "foresee/seen/beginnings.h"
#include "foresee/seen/rounds.h"

/* A search begins: what was foreseen is forgotten, what was seen is not. */
void foresee_open(bool wanted);
bool foresees(void);
/* What was relied on turns out to be wrong: all will start again.  If too much comes to nothing by that, nothing is
 * foreseen any more. */
void foresaw_wrongly(void);
/* Does it start again now?  Else there is more to be learnt first: one mistake seldom comes alone. */
bool foresees_anew(bool at_once);
/* ---- with several processes: what a copy of this one has learnt, and relied on, since it was made */
struct foresight {
    struct noted noted;
    struct rounds_noted rounds;
};
/* Asked by a copy, when it is made. */
struct foresight foresight_so_far(void);
/* False: it does not fit. */
bool foresight_tell(const struct foresight *since, char *room, size_t size);
/* False: the copy is not to be believed. */
bool foresight_hear(char *room);
/* It changes with what cannot be told.  SOUND: who learns that is not believed. */
uint64_t foresight_known(void);
/* Will copies hardly learn what cannot be told? */
bool foresight_can_be_shared(void);

enum { MOST_READS = 8 }; /* of one round; beyond that nothing is foreseen */
/* What a thread is about to read in a round. */
void foresee_meet(const struct graph_event *event);
/* The step of an event was made: what its thread is about to do is known from now on. */
void foresee_step(const struct graph_event *event);
/* A thread waits at the end of an execution, and is not stuck. */
void foresee_waiting(int thread);
/* A graph was run: what its threads wrote, and after which beginnings.  `in_vain`: it is no execution. */
void foresee_writes(const struct graph *graph, bool in_vain);
/* Who is in a round of a loop comes later; first of them who may leave it, and will write. */
enum turn { NOT_IN_ROUND, LEAVES_AND_WRITES, LEAVES, MAY_WAIT, AWAITS, NO_TURN };
bool is_in_round(int thread);
enum turn turn_in_round(struct graph *graph, int thread);

#endif
