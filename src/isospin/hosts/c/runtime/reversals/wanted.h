/* Who is to be explored at a node, in which order, and why.
 *
 * A race is reversed by an await that comes before a write: if its round fails there, nothing is found.  Such a wish is
 * not noted if that is known (trail_admits); often it becomes known only later, with the first round that fails.  So
 * what a wish depends on is kept, and a thread that nobody wants any more is not explored.
 *
 * SOUND: the same wishes are left as if all failures had been known from the start: a thread is wanted as long as one
 * of the wishes that it meets is left.
 */
#ifndef ISOSPIN_WANTED_H
#define ISOSPIN_WANTED_H

#include "reversals/wakeup.h"

/* A wish is nothing if a round fails in this situation with this value (await.h); 0: it stays. */
struct doubt {
    int await;
    uint64_t value;
};

struct wanted {
    thread_set threads, certain; /* those that wait; those that are wanted whatever is learnt */
    uint8_t list[MOST_THREADS];
    int count;
    struct {
        struct doubt doubt;
        int thread;
    } *doubts; /* of the others */
    unsigned doubt_count, doubt_room;
    struct branch *below[MOST_THREADS]; /* how those go on that are in `deep`, after their first action */
    thread_set deep, ends; /* ends: those whose first action is the end of a sequence */
};

void wanted_clear(struct wanted *wanted);
/* Comes last, if it is new. */
void wanted_add(struct wanted *wanted, int thread, struct doubt doubt);
/* Is it there, with the same doubt or without any? */
bool wanted_has(const struct wanted *wanted, int thread, struct doubt doubt);
/* The turn of the first one has come: it does not wait any more. */
void wanted_take(struct wanted *wanted);
/* How the thread that was the last to be taken goes on. */
struct branch *wanted_below(const struct wanted *wanted, int thread);
/* A sequence, which is used up; `actions` are those that are pending.  False: the first of it waited already. */
bool wanted_insert(struct wanted *wanted, const uint32_t *actions, struct sequence *sequence, struct doubt doubt);
/* Nobody else is wanted. */
void wanted_keep_first(struct wanted *wanted);
/* Does somebody still want the thread, which waits or was the last to be taken? */
bool wanted_is_needed(const struct wanted *wanted, int thread);

#endif
