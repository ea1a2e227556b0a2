/* Memory models: which graphs can be executions.  One file each. */
#ifndef ISOSPIN_MODEL_H
#define ISOSPIN_MODEL_H

#include "graphs/graph.h"

/* Is a graph an execution of the model that was asked for?  Then the writes of registers have places that fit.  What is
 * consistent stays so if events are taken away behind which nothing comes; and whoever comes last, and sees or is the
 * last write of a variable, makes nothing inconsistent. Write parts that are pending do not count. */
bool is_consistent(struct graph *graph);
/* The events of the graph that is to be run, which is consistent, one behind the other as they are to be run; false:
 * there is no such order. SOUND: what is added to counters is there when it is seen, and nothing else. */
bool find_sequence(const struct graph *graph, const event_number **order);
/* The same, of all that comes before something under sequential consistency, not only of causes. */
bool find_total(const struct graph *graph, const event_number **order);
/* Within one variable, happens-before given: does each event see, and come behind, what it has to?  Also: nothing comes
 * between what an update reads and what it writes. */
bool is_coherent(const struct graph *graph, const struct relations *relations);

/* As it would be with some order of the writes of registers?  (There may be none that fits.) */
bool may_be_sequential(const struct graph *graph);
/* With the places that these have. */
bool is_sequential(const struct graph *graph);
/* Is it clear from causes alone that the newest event cannot see a write: its thread knows of one that came behind it?
 * SOUND: under sequential consistency, whatever the order of writes.  `relations` of all that was there before. */
bool is_overwritten(const struct graph *graph, const struct relations *relations, event_number source);
bool is_tso(const struct graph *graph);
bool is_rc11(const struct graph *graph);

/* ---- accesses by variable (model.c), of the graph that was asked about last: a list for each variable */
extern struct accesses {
    int32_t *variables; /* that are accessed */
    int count;
    event_number *first; /* of a variable */
    event_number *next;  /* of an event */
} accesses;

/* ---- edges between events (edges.c) */
void edges_begin(const struct graph *graph);
void edge(event_number from, event_number to);
/* From what an event waits for: who had its objects before, and the ends of the threads that it joins. */
void edges_of_waiting(const struct graph *graph, event_number event);
/* Modification order, and from each read to the write that comes behind what it saw; but not of registers. */
void edges_of_variables(const struct graph *graph);
/* The same of registers. */
void edges_of_registers(const struct graph *graph);
bool edges_acyclic(void);
/* All events, if it is: each behind those from which an edge leads to it. */
void edges_sort(event_number *order);

/* The relations of the graph that was asked about last. */
extern struct relations related;

#endif
