/* The main thread as a bystander: what it still does need not be proved to be symmetric, but is watched.
 *
 * Main starts threads, waits for them, and looks at all their results in the order in which it started them.  No
 * renaming commutes with that code.  It need not, as long as main touches nothing that a renaming moves or changes
 * while others live, and starts no further ones, for then it does the same in an execution and in its image; and if the
 * renaming fixes what all of them have left behind when they have ended, main goes on from the same memory in both.
 *
 * Both are assumed where two threads are compared (alike.c), and checked in every execution that is explored.  If one
 * turns out to be wrong, the search starts again, and main is a bystander only behind the step that was.
 */
#ifndef ISOSPIN_BYSTANDER_H
#define ISOSPIN_BYSTANDER_H

#include "numbers/numbers.h"

enum { MOST_CHANGED = 16, MOST_RELIED = 32 };

/* A renaming that is good only if main stands by. */
struct watched {
    struct renaming renaming;
    uint64_t from; /* how many steps main had made where it was found first */
    int changed;   /* carriers whose numbers it changes */
    struct changed_numbers numbers[MOST_CHANGED];
    int relied; /* carriers that main may give no other values than these; negative: none at all */
    struct changed_numbers values[MOST_RELIED];
};

extern bool main_stands_by; /* the comparison that is being made assumes it */
extern bool main_waits; /* and that main goes on only when all others have ended: what only it uses is no matter */
extern int watched_count; /* renamings that are watched; 0: nothing to do */

/* Once, by a search that starts again when something is learnt. */
void bystander_open(void);
/* An execution begins. */
void bystander_reset(void);
/* May main be taken for a bystander in the current state, for a renaming of others? */
bool bystander_may(void);
/* Is main about to wait for all others, or alone? */
bool bystander_waits(void);
/* A renaming was found that is good if main stands by, from where it may on; false: there are too many. */
bool bystander_keep(const struct renaming *renaming);
/* A renaming that is good whatever main does: is there nothing watched with which it does not commute?  It does with
 * those of which it is a part, if it changes no numbers. */
bool bystander_goes_with(const struct renaming *renaming);
/* The current thread is going to touch memory. */
void bystander_access(uintptr_t from, size_t size, bool writes);
/* It reads these bytes now: others had their turn since it stood there. */
void bystander_reads(uintptr_t from, size_t size);
/* It is going to start a thread. */
void bystander_starts(void);
/* Main is going to make a step, or has made one; false: the execution counts for nothing. */
bool bystander_before(void);
bool bystander_after(void);

static inline void stand_by(uintptr_t from, size_t size, bool writes)
{
    if (__builtin_expect(watched_count != 0, 0))
        bystander_access(from, size, writes);
}

static inline void read_by(uintptr_t from, size_t size)
{
    if (__builtin_expect(watched_count != 0, 0))
        bystander_reads(from, size);
}

#endif
