/* What threads did in rounds of loops: where they were, what they read there, and where that led. */
#ifndef ISOSPIN_ROUNDS_H
#define ISOSPIN_ROUNDS_H

#include "graphs/graph.h"

/* The situation behind a read; 0: none, or it is not known. */
int next_of(int situation, uint64_t value);
/* The same, with what was read plainly on the way, that others have written (settled.h). */
enum { MOST_PLAIN = 4 };
struct plain_way {
    uint64_t value;
    uint32_t when; /* it was noted */
    int next;      /* the situation of the next read, or 0: something else follows */
    int count;
    struct {
        int number;
        uint64_t value;
    } spot[MOST_PLAIN];
};
bool has_plain_ways(int situation, uint64_t value);
/* The nth of them; NULL: there are fewer. */
const struct plain_way *plain_way(int situation, uint64_t value, unsigned nth);
/* All situations have numbers from 1 on, up to this one. */
int situations_ever(void);
/* The nth value that was seen in a situation; false: there are fewer. */
bool value_seen_in(int situation, unsigned nth, uint64_t *value);
/* Does a thread that is there do the same with both values?  False: that is not known. */
bool goes_the_same_way(int situation, uint64_t one, uint64_t other);
/* How much is known of rounds: more, if anything was learnt. */
uint32_t rounds_known(void);
/* What is read in a situation, without a source. */
const struct graph_event *read_in(int situation);
/* Would a thread that is there go on with this value? */
bool lets_pass(int situation, uint64_t value);
/* Is a round known to fail with one of so many reads, this one and those that follow? */
bool may_fail_within(int situation, int reads);
/* May a round fail here that has not so many reads, this one included? */
bool fails_beyond(int situation, int reads);
/* Does an update write anything else than was there? */
bool changes(const struct graph_event *event);

/* What a copy of this process has learnt since it was made.  SOUND: what is not known of rounds leaves nothing out, so
 * only what contradicts what is known here counts: then the copy is not believed, or foresaw_wrongly. */
struct rounds_noted {
    int points;
    uint32_t time;
};
struct rounds_noted rounds_noted_so_far(void);
/* How much room it takes; 0: there is not enough. */
size_t tell_rounds(struct rounds_noted since, void *room, size_t size);
/* The same; 0: it is not believed. */
size_t hear_rounds(void *room);
/* Our number of a point of the copy. */
int heard_point(const void *room, int point);

#endif
