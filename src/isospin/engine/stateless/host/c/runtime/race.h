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

enum { RACE_READ = 0, RACE_WRITE = 1, RACE_ATOMIC = 2 /* added to one of the two */ };

struct race {
    uintptr_t from; /* the bytes that both touch, inside one granule of 8 bytes */
    uint32_t size;
    int how, other_how; /* RACE_READ, RACE_WRITE, perhaps + RACE_ATOMIC */
    int other;          /* the thread of the earlier access */
    const void *pc, *other_pc;
};

/* A new execution: nothing happened yet.  Costs nothing: what is old is known by its number.  In fork mode also once before the
 * first child. */
void race_reset(void);

/* An access of `size` bytes.  True if it races with an earlier one; `found` is the first such pair then. */
bool race_access(int thread, uintptr_t from, size_t size, int how, const void *pc, struct race *found);
/* The bytes begin a new life (malloc, a new stack of a thread): accesses so far do not count any more, and locks that
 * lay there are forgotten.  A `free` is told as a write. */
void race_forget(uintptr_t from, size_t size);

/* What a thread did so far happens before what `child` does. */
void race_born(int parent, int child);
/* What `ended` did happens before what `thread` does from now on (join). */
void race_joined(int thread, int ended);
/* Whoever acquires the object later knows what the thread did before it released it: unlock, signal, post, store-release,
 * arriving at a barrier, the end of a once ... */
void race_release(int thread, uintptr_t object);
/* The same, and what others released before is forgotten (a plain store-release over what was there). */
void race_release_only(int thread, uintptr_t object);
void race_acquire(int thread, uintptr_t object);

#endif
