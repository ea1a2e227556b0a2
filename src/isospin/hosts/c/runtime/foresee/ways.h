/* Ways on: can a thread leave the round of a loop that it is in, and what has to be known for the answer?
 *
 * One question at a time: of one thread, or of some that are taken not to write anything (together.c).
 */
#ifndef ISOSPIN_WAYS_H
#define ISOSPIN_WAYS_H

#include "foresee/foresee.h"

extern struct question {
    int thread;
    bool others; /* does it count what others may still write? */
    uint32_t at[MOST_THREADS];
    int count, tried;
    bool takes; /* an update could take what another one has */
    bool leave; /* what would take something is left for later */
    struct {    /* reads that the thread would make first, but that are not part of the graph */
        const struct graph_event *like;
        event_number source;
    } first[MOST_READS];
    int firsts, given; /* how many, with those that are part of it */
    int fences;        /* that the thread would pass between them */
    bool grows;        /* it is the graph that is being run, which grows by them */
} question;
extern int since_old; /* reads from one on that saw something old; < 0: that does not matter */
extern thread_set taken_to_be_caught; /* so they write nothing */
extern int32_t may_go; /* stamps from which on things may be taken back, so that their threads do something else */

/* A question about a thread; false: of some other one nothing is known. */
bool knows_others(const struct graph *graph, int thread);
/* May another thread write what lets it pass? */
bool may_be_written(int situation);
/* Will nobody else write the variable? */
bool is_left_alone(int32_t variable);
/* Can it leave the round from a situation on? */
bool leaves_from(const struct graph *graph, int situation, int depth);
/* Can the thread leave the round with what is there, as far as is known? */
bool may_leave_round(const struct graph *graph, int thread);
/* The answer is relied on: nothing else than what was seen to be written. */
void rely_on_others(void);

#endif
