/* What is known of loops that wait: at which places, and with which values their rounds fail.
 *
 * A thread that comes back to the same place with the same live registers and stack, and has changed nothing in
 * between, has made a failed round (spin.c).  The operation that ended the round is an *await*: in this situation, and
 * with the value that it read, it leads back and nowhere else.  From then on it is held back while the value is one of
 * those: an operation that waits, with its condition.
 *
 * Reference: Kokologiannakis, Ren, Vafeiadis, FMCAD 2021 (failed rounds of a loop are left out).
 * Differs: found at run time from the states of the thread, so what counts as a round and what as a condition follows
 * from what the code did, not from its shape; and the thread is held back before the operation, so that no execution
 * is begun in vain where one location decides.
 *
 * SOUND: let P be the program and Q the same without operations that end failed rounds.  (1) Each execution of Q is one
 * of P.  (2) From an execution of P take out all failed rounds: what is left is one, since a round changed nothing, and
 * its thread is where it was.  It ends in the same state, has the same findings, and is one of Q; it has fewer
 * happens-before edges of synchronisation, so a race between accesses that are left is a race still.  Accesses inside
 * of rounds are seen by `await_look` and, where they are plain, by overlooked.h.  (3) Whether a round fails is a
 * function of the thread's own history and of the value that is read, so a write of that location, which is dependent,
 * is all that can change it.  (4) A state of Q in which nobody can go on is one of P, or one in which a round would not
 * fail again, which is an execution that another order of Q shows: `program_waits`.
 */
#ifndef ISOSPIN_AWAIT_H
#define ISOSPIN_AWAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum await_level {
    NO_LOOP,
    LOOP,   /* a thread came by twice without an effect: its state is looked at */
    AWAIT,  /* a round failed here */
    NO_AWAIT /* and it was seen to matter that rounds are executed: they are */
};

/* Once, after arena_open. */
void await_open(void);
/* Are failed rounds left out at all?  Not where one schedule is followed, or another search steps the program. */
extern bool await_wanted;

enum await_level await_level_of(const void *pc);
/* Is any loop known?  When the first one is found, all starts again. */
bool await_knows_loops(void);
/* Never down. */
void await_raise(const void *pc, enum await_level level);

/* A situation in which a thread is about to read: a number from 1 on. */
int await_point(uint64_t situation, const void *pc);
const void *await_place(int point);
/* How many there are; and what await_point was asked for. */
int await_points(void);
uint64_t await_situation(int point);
/* A round of so many reads of atomic variables failed that way; `how` the location was accessed (race.h).  False: it
 * was known. */
bool await_learn(int point, uint64_t value, int how, int reads);
/* No way on from there leaves the round, as far as is known now (foresee/hopeless.h): as if it had failed. */
void await_conclude(int point, uint64_t value, int how);
void await_forget_conclusions(void);
bool await_is_concluded(int point, uint64_t value);
/* How many reads a round had that was seen to fail that way; 0: none was. */
int await_reads(int point, uint64_t value);
/* And the shortest round that failed there. */
int await_shortest(int point);
/* The nth value with which a round failed; false: there are fewer. */
bool await_failure(int point, unsigned nth, uint64_t *value);
/* How the location was accessed at a place when a round failed there; false: none did. */
bool await_accessed(const void *pc, int *how);
/* Did any round fail here? */
bool await_failed(int point, int *how);
/* A read did not end a failed round. */
void await_pass(int point, uint64_t value);
bool await_passes(int point, uint64_t value);
/* How often something was learnt of what fails. */
unsigned long await_lessons(void);
/* Is it known that a round fails that way? */
bool await_fails(int point, uint64_t value, int *how);

#endif
