/* The execution that is being explored, with its happens-before relation, and the ways to reverse its races.
 *
 * The same as ../../../trail.py; an event is a number, its place in the execution.
 */
#ifndef ISOSPIN_TRAIL_H
#define ISOSPIN_TRAIL_H

#include "explore/action.h"
#include "reversals/wanted.h"

struct event {
    uint32_t action;
    int32_t choice;
    int32_t previous; /* the event before it with the same action, or -1 */
    int32_t before;   /* the event whose clock its thread had before it, or -1 */
    uint32_t causes;  /* where its causes begin: events on which it depends directly, of other threads */
    uint8_t thread;
    int32_t await;    /* its situation, if it is one of an await (await.h); else 0 */
    uint64_t seen;    /* what was in memory where its first span is, before it */
    const void *pc;   /* where in the code: actions do not tell, they may be made at several places */
};

struct trail {
    struct event *events;
    int count;
    /* of each thread, how many of the first events of the run are behind us: index + 1 */
    uint32_t (*clocks)[MOST_THREADS];
    int32_t *causes;
    unsigned event_room, clock_room, cause_room, cause_count;
    struct {
        int32_t *events; /* of one thread, ascending */
        unsigned count, room;
    } of[MOST_THREADS];
    int32_t birth[MOST_THREADS]; /* the event that bore a thread; -1: it was there from the start */
    int threads;                 /* numbers below this occurred */
    int32_t *found[MOST_SPANS];  /* of the race analysis, for each span */
    unsigned found_room[MOST_SPANS];
};

/* Take all `roots` and what follows from them out of the execution, then execute the action. */
struct reversal {
    int depth; /* the first root */
    int roots[MOST_SPANS];
    int count;
    uint32_t action;
    uint32_t possible; /* the same action where it writes, if it can: a compare-and-exchange may succeed there */
    int await; /* of the action */
    int end; /* the event of the action, or how many events there are: what comes then does not matter */
};

typedef void reverser(void *search, const struct reversal *reversal);

void trail_clear(struct trail *trail);
int trail_push(struct trail *trail, int thread, int choice, uint32_t action, int await, uint64_t seen, const void *pc);
void trail_pop(struct trail *trail);
/* The event whose clock the next operation of a thread has; -1: nothing happened before it. */
int trail_before(const struct trail *trail, int thread);
/* Did the event happen before what comes next to `after` (-1: to nothing)? */
bool trail_happened(const struct trail *trail, int event, int after);
const int32_t *trail_causes(const struct trail *trail, int event, unsigned *count);
int32_t trail_nth(const struct trail *trail, int thread, unsigned n); /* the n-th event (from 0) of a thread, or -1 */
unsigned trail_past(const struct trail *trail, int thread, int depth); /* how many of its events are among the first */

/* The races of an action with earlier events; `index` is its event, or -1 if it was not executed.  False: not all of
 * them, since it waits for too many objects. */
bool trail_races(struct trail *trail, uint32_t action, int await, int before, int index, reverser *reverse,
                 void *search);
/* The threads with which the reversed order can begin; `earliest` is the one whose event comes first. */
thread_set trail_initials(const struct trail *trail, const struct reversal *reversal, int *earliest);
/* All that is left, and the action. */
void trail_sequence(const struct trail *trail, const struct reversal *reversal, struct sequence *sequence);
/* What the reversal depends on: that a round does not fail there. */
struct doubt trail_doubt(const struct trail *trail, const struct reversal *reversal);
/* Is it certain that the action can be executed there, and makes no round that fails? */
bool trail_is_certain(const struct trail *trail, const struct reversal *reversal);
/* Can the action be executed there, as far as we know? */
bool trail_admits(const struct trail *trail, const struct reversal *reversal);
/* Can it be executed after all that came before an event, as far as we know? */
bool trail_admits_before(const struct action *action, int event);

#endif
