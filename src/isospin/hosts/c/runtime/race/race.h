/* Data races: two accesses to a common byte by different threads, one of them a write, not both atomic, and no
 * synchronisation orders them.
 *
 * The program side tells every access and every synchronisation of one execution, in the order in which they happen.
 * Sound: if two accesses of the execution race, a race on one of their bytes is told.  Exact: what is told is a race.
 */
#ifndef ISOSPIN_RACE_H
#define ISOSPIN_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "constants.h" /* RACE_READ and so on: how memory is accessed */

struct race {
    uintptr_t from; /* the bytes that both touch, inside one granule of 8 bytes */
    uint32_t size;
    int how, other_how; /* as above */
    int other;          /* the thread of the earlier access */
    const void *pc, *other_pc;
};

/* A new execution: nothing happened yet.  Costs nothing: what is old is known by its number.  In fork mode also once
 * before the first child. */
void race_reset(void);

/* An access of `size` bytes.  True if it races with an earlier one; `found` is the first such pair then. */
bool race_access(int thread, uintptr_t from, size_t size, int how, const void *pc, struct race *found);
/* Only what comes later is to race with it. */
void race_note(int thread, uintptr_t from, size_t size, int how, const void *pc);
/* The bytes are freed: as if all of them were written. */
bool race_free(int thread, uintptr_t from, size_t size, const void *pc, struct race *found);
/* The bytes begin a new life (malloc, a new stack of a thread): accesses so far do not count any more, and locks that
 * lay there are forgotten. */
void race_forget(uintptr_t from, size_t size);

/* What a thread did so far happens before what `child` does. */
void race_born(int parent, int child);
/* What `ended` did happens before what `thread` does from now on (join). */
void race_joined(int thread, int ended);
/* Whoever acquires the object later knows what the thread did before it released it: unlock, signal, post,
 * store-release, arriving at a barrier, the end of a once ... */
void race_release(int thread, uintptr_t object);
/* The same, and what others released before is forgotten (a plain store-release over what was there). */
void race_release_only(int thread, uintptr_t object);
void race_acquire(int thread, uintptr_t object);

/* Relaxed atomic operations and fences.  A relaxed store publishes what the thread knew at its last release fence, and
 * nothing else; an update (read-modify-write) leaves what was released there before.  What a relaxed load or update
 * reads counts after the next acquire fence. */
void race_relaxed_load(int thread, uintptr_t object);
void race_relaxed_store(int thread, uintptr_t object);
void race_relaxed_update(int thread, uintptr_t object);
/* The same of one that reads nothing: it knows no more afterwards. */
void race_relaxed_change(int thread, uintptr_t object);
/* The same where the source of each read is known: a thread reads what carries this clock; it makes a write, whose
 * clock goes on from what is there. */
void race_hear(int thread, const uint32_t *message, bool acquires);
void race_say(int thread, uint32_t *message, bool releases);
/* The clock of a thread: what it knows of each; of itself the number that its next accesses have. */
const uint32_t *race_clock(int thread);
/* All others have ended, and the thread knows all that they did: before the first is born, and after joining them. */
bool race_alone(int thread);
/* The same, when it has joined these, which have ended; bit t: thread t. */
bool race_alone_behind(int thread, uint64_t joined);
bool race_fences(void); /* were there any? */
void race_fence(int thread, bool acquires, bool releases);

/* ---- symmetry: races are a property of the history, so threads in the same state may still differ */

/* A lock that only one thread can hold was taken, was given back.  Besides race_acquire and race_release: what is
 * always accessed under the same lock does not race, in no execution, and need not be compared. */
void race_locked(int thread, uintptr_t lock);
void race_unlocked(int thread, uintptr_t lock);
/* Once: race_alike will not be asked in this process. */
void race_without_symmetry(void);
/* A thread comes to an operation, and waits for its turn. */
void race_stands(int thread, const void *pc);
/* Does a renaming fix what may still race?  False if that is not known.  What fences make of relaxed operations is not
 * compared; it need not be where `all_know` all that happened, as over execution graphs (graphs/fold.c).  `same_code`:
 * threads and their images stand at the same places in the code. */
struct renaming;
bool race_alike(const struct renaming *renaming, bool all_know, bool same_code);
extern uintptr_t race_blamed; /* memory because of which it was false; 0: there is none */
/* Of those that were found good so far and exchange these threads, the one that moves most cells; NULL: none does. */
const struct renaming *race_exchange(int a, int b);
/* Does nobody but this thread access these bytes, neither in executions that are explored nor in their images? */
bool race_private(int thread, uintptr_t from, size_t size, const struct renaming *renaming);
/* Does nobody else write these bytes while there are others?  If somebody does later, the search starts again. */
bool race_unwritten(int thread, uintptr_t from, size_t size);
/* Bytes of a thread's own stack, all accesses to which are told: from the current state on, are they written before
 * they are read, in all executions?  If they are read later, the search starts again. */
bool race_unread(int thread, uintptr_t from, size_t size);
/* Something on which race_alike relied turned out to be wrong: the search has to start again.  Asking clears it. */
bool race_learnt(void);
/* It changes with all on which other executions may rely. */
uint64_t race_knowledge(void);

/* From the program side: two atomic accesses that nothing orders, one of them a write, and one weaker than seq_cst. */
void learn_weak(const struct race *race);
/* From the program side: are some of these bytes visible, so that their races were found already? */
bool known_visible(uintptr_t from, size_t size);
/* From the program side: were these bytes freed, so that whoever accesses them fails? */
bool known_freed(uintptr_t from, size_t size);

#endif
