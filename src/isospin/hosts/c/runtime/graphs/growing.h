/* What follows from the graph that is being run.  It grows by one event at a time, and what is known of the others
 * stays known: a question about the newest event is answered by what the events say that it follows, without looking at
 * all of them again.
 */
#ifndef ISOSPIN_GROWING_H
#define ISOSPIN_GROWING_H

#include "graphs/graph.h"

enum fit { DOES_NOT_FIT, FITS, MAY_FIT };

/* A search begins.  If it is asked to doubt, all that clocks say is compared with what the whole graph says. */
void growing_open(void);
bool growing_doubts(void);
void growing_doubt(enum fit fit, bool is_consistent);
/* Another graph is being run, or this one has changed otherwise than by growing.  SOUND: from here on all that is asked
 * is about that graph, whose events stay as they are, but for the newest one, if it came in since. */
void growing_begin(const struct graph *graph);
/* As from `relate`. */
const struct relations *growing_relations(const struct graph *graph);

/* Threads that wait for ever.  What comes in goes on, so there are no others. */
thread_set growing_stuck(void);

/* All but the newest event, an access, is consistent.  Is all of it, if that one comes directly before the write that
 * is at a place now, and its own write takes that place? */
enum fit growing_fit(struct graph *graph, int32_t place);
/* The same of reads that a thread is to make one behind the other: the nth of them, from 0, if those before it fitted
 * and write nothing.  `made` is what it would be (graph_add_like), with its source. */
enum fit growing_fit_next(const struct graph *graph, int thread, int nth, event_number source,
                          struct graph_event *made);
/* One of them is no read, but a fence. */
void growing_pass(const struct graph *graph, int thread, int nth);
/* The newest event of the graph that is being run is the first of such reads.  False: this is no such event. */
bool growing_has_first(const struct graph *graph, event_number read);
/* Different for each graph that is run; 0: this one is not. */
unsigned growing_run(const struct graph *graph);

#endif
