/* Plain reads of rounds that failed, which are left out with them.
 *
 * A round that fails is left out of executions, and with it what it read plainly (await.h).  That may race.  As long as
 * its thread goes round, it does so in some execution in which the thread is held back behind the read, and nowhere
 * does it get lost.  But somebody may write there who has seen that the thread went on, without being ordered behind
 * it: by a relaxed store, or since a lock was taken.
 *
 * So a thread that leaves a loop counts as having read what rounds that failed there were seen to read, if what led
 * them to read it was there by now.  A race that is found with it is not told: from then on rounds are executed there.
 *
 * SOUND: between such a read and the end of its loop a thread releases nothing, so who is ordered behind the end of the
 * loop is ordered behind the read, and nobody else.  Who has written before, and is not known to the thread, races in
 * an execution in which it is held back.  (What is read under a lock is not looked at.)
 */
#ifndef ISOSPIN_OVERLOOKED_H
#define ISOSPIN_OVERLOOKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spin_read;

/* Once, after arena_open. */
void overlooked_open(void);
/* More is known than when the search began: does it start again now?  Else there is more to be learnt first. */
bool overlooked_anew(bool at_end);
/* It changes with what is known. */
uint64_t overlooked_known(void);
/* A round failed at a place: so it read, the last of them atomically. */
void overlook(const void *place, const struct spin_read *reads, int count);
/* An execution begins, or a step was made. */
void overlooked_begin(void);
void overlooked_look(void);
/* The current thread goes on from a place. */
void overlooked_leave(const void *place);

#endif
