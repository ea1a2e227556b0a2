/* Graphs that are left for later, one upon the other: the newest is taken up first.
 *
 * Each knows which two events it came from, whose order is another one in it.  (How much of the search is done cannot
 * be told from that: if those that are left at a time have equally much behind them, 8 million executions are expected
 * where there are 40,320, since most that a thread could see in a loop leads nowhere.)
 */
#ifndef ISOSPIN_LATER_H
#define ISOSPIN_LATER_H

#include "graphs/graph.h"

/* The search begins. */
void later_open(void);
/* What is left from now on has these two the other way round; NULL: it is for some other reason. */
void later_because(const struct graph_event *one, const struct graph_event *other);
/* Leave a graph; one that nobody needs any more. */
struct graph *leave_graph(const struct graph *graph);
void leave_made(struct graph *graph);
/* How many there are; the first of them is the one at the bottom. */
unsigned graphs_left(void);
const struct graph *graph_left(unsigned number);
/* Take one up, whose room is exchanged. */
void take_up(struct graph *here, unsigned number);
/* Nobody needs those above a height. */
void graphs_drop(unsigned height);
/* This process explores only those from one height up to another. */
void graphs_only(unsigned from, unsigned to);

#endif
