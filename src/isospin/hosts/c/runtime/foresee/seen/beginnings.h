/* What threads were seen to write, after each beginning of their own events, in all executions. */
#ifndef ISOSPIN_BEGINNINGS_H
#define ISOSPIN_BEGINNINGS_H

#include "graphs/graph.h"

struct to_come {
    int32_t variable;
    uint32_t when; /* it was noted */
    uint64_t value;
};

/* Where each thread is in a graph: numbers; 0: nothing was ever seen to follow from there. */
void find_beginnings(const struct graph *graph, uint32_t *found);
/* The same of what came in before a stamp. */
void find_beginnings_before(const struct graph *graph, int32_t stamp, uint32_t *found);
const struct to_come *writes_after(uint32_t beginning, unsigned *count);
/* A graph was run. */
void note_writes(const struct graph *graph);

/* Where a thread is behind an event that is its next one; 0: that was never seen. */
uint32_t beginning_behind(uint32_t beginning, const struct graph_event *event);
/* One that was seen to follow, by one event; and one that followed the same with another value read.  0: none. */
uint32_t first_behind(uint32_t beginning);
uint32_t other_than(uint32_t beginning);
/* What a thread that is there does next, without a source; NULL: that is not known, or was not the same each time. */
const struct graph_event *next_after(uint32_t beginning);
/* In the graph that is being run a thread waits, at the end, and is not stuck: what it would do. */
void note_waiting(int thread);

/* What a thread was seen to store in a spot (spots.h) from a beginning on; NULL: nothing. */
struct store_to_come {
    int spot;
    uint32_t when; /* it was noted */
    uint64_t value; /* if it is stored directly behind the beginning */
    bool here, several; /* it is; but not the same each time */
};
const struct store_to_come *stored_after(uint32_t beginning, int spot);
/* The beginning without its last event; 0: it has none. */
uint32_t beginning_before(uint32_t beginning);

/* What is relied on of a thread that is there: that it writes nothing with which one that reads in a situation (from 1
 * on) would pass, or nothing at all, or nothing of a variable, or that it does nothing else next than it was seen to
 * do, or reads no other value then; that it stores nothing in a spot from there on, or nothing else than the value that
 * it was seen to store directly behind.  If it does, foresaw_wrongly. */
void rely_on(uint32_t beginning, int what);
void rely_on_nothing(void);
enum { NO_WRITE = 0, NOTHING_ELSE = INT32_MIN, NO_OTHER_VALUE };
static inline int no_write_of(int32_t variable) { return -1 - variable; }
static inline int no_store_in(int spot) { return NO_OTHER_VALUE + 1 + 2 * spot; }
static inline int no_other_store_in(int spot) { return no_store_in(spot) + 1; }

/* What another process, a copy of this one, has noted since it was made, and what it relied on.  It is told in numbers
 * that are the same in both, but for new beginnings.  SOUND: what is written by whom is compared with all that is
 * relied on, in both directions: if we are the one that was wrong, foresaw_wrongly; if it is the other, it is not
 * believed. */
struct noted {
    uint32_t beginnings, time;
};
struct noted noted_so_far(void);
/* False: it does not fit. */
bool tell_noted(struct noted since, void *room, size_t size);
/* `rounds`: what it has told of them.  False: it relied on what is not so. */
bool hear_noted(void *room, const void *rounds);

#endif
