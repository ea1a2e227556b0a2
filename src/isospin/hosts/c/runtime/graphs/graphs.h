/* The search over execution graphs, with the memory model as a parameter (history.h). */
#ifndef ISOSPIN_GRAPHS_H
#define ISOSPIN_GRAPHS_H

#include "graphs/graph.h"

struct search;

/* One more execution; true: there are more.  Of the same kind as explore_execution. */
bool graphs_execution(struct search *search);

/* ---- events of the program that is being run (event.c) */

/* Is the operation an access whose source the search decides? */
bool is_access(const struct operation *operation, int thread);
/* Fill in what the pending operation of a thread is; of an access without its source. */
void describe_event(struct graph_event *event, int thread);
/* Threads that live; and which of them a step brought into being. */
thread_set living(void);
int newborn(thread_set before);
/* A run begins; a thread makes an event, and so its clock for the race detector gets a number.  What happens before one
 * that is no access of memory, which has been made: the race detector knows. */
void forget_epochs(void);
void note_epoch(int thread);
void note_known(struct graph_event *event);
/* Does an access write whatever it finds: a store, or an addition to a counter? */
bool only_writes(const struct graph_event *event);
/* What an access does with what it sees.  An await that is known to fail is stuck. */
void see(struct graph_event *event, cell seen);
/* The same, of what it sees in a graph. */
void set_source(struct graph *graph, event_number event, event_number source);
/* Is it an await that is known to fail with that source? */
bool is_known_to_fail(const struct graph *graph, event_number event, event_number source);
/* What an access sees, and does it go on, so that the graph is consistent?  Its write part has its place then. */
bool admits(struct graph *graph, event_number event, event_number source);
/* Does everybody who waits for ever see what is there for ever? */
bool is_final(const struct graph *graph);
/* The name of what an event writes, after those that were `executed`, with the names of what they wrote. */
int name_of(const struct graph *graph, event_number write, const int *executed);
/* The choice by which the program makes the step that an event is. */
int choice_of(const struct graph *graph, event_number event, const int *executed);

/* ---- from graph to graph (revisit.c, unordered/counters.c, chains.c) */

/* The write part of an event has come in, and has no place yet: what saw something else may see it. */
void revisit_by(const struct graph *graph, event_number write);
/* An addition to a counter has come in. */
void revisit_loads(const struct graph *graph, event_number write);
/* What is left if a read is taken back, with all that followed it by itself: the read, too, or not.  `past` is what the
 * write knows of. */
void undo_read(struct graph *made, const struct graph *graph, event_number read, event_number write,
               const uint16_t *past, bool with_read);
/* A load of a counter has come in, last of all: it sees all additions, or fewer (then it is left for later). */
void count_additions(struct graph *graph, event_number load);
/* An update cannot go on behind another one that saw the same as it did, and came first: it waits for another chance,
 * and a mark stays in its place.  False: it can go on with what is there.  SOUND: then others lead to where it does;
 * but that it waits for ever is left. */
bool wait_behind(struct graph *graph, const struct graph_event *update, event_number by);
/* The pending operation of a thread, no access of memory, may come before what touched the same objects. */
void revisit_by_operation(const struct graph *graph, int thread);
/* Is everything from a stamp on, but what the new event knows of (`past`), as the search would insert it by itself? */
bool is_canonical(const struct graph *graph, const struct relations *relations, int32_t since, const uint16_t *past,
                  event_number new);

/* ---- what is still to be explored (visit.c; later.h) */
/* Leave a graph for later, if it can be an execution. */
void offer(struct graph *graph);
/* The same, whatever it is. */
void offer_probe(const struct graph *graph);
/* Its last event, an update, wants what another one has: that one gives way, if it can. */
void offer_taker(const struct graph *graph);

#endif
