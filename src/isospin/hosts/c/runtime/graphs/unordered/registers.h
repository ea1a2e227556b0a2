/* Registers: atomic variables that are only loaded and stored, and that nobody waits for.  Counters: atomic variables
 * that are only loaded, and added to by updates that commute (explore/commute.h).
 *
 * What nobody reads has no order: a graph only says which write of a register each read sees, and is consistent if some
 * modification order fits.  The places that its writes have are those of such an order, and mean nothing else.  A load
 * of a counter sees a set of additions, of each thread the first ones; it comes behind them and before all others, and
 * that is all: so a graph is consistent if these edges, too, are part of no cycle, and the program is run in an order
 * that fits.  Whatever else is done to a variable shows its order; then it is none, and the search starts again.  Under
 * sequential consistency only, and not where threads are exchanged: fold.c compares places.
 */
#ifndef ISOSPIN_REGISTERS_H
#define ISOSPIN_REGISTERS_H

#include "graphs/graph.h"

/* A search begins: may there be any? */
void registers_open(bool wanted);
bool is_register(int32_t variable);
bool is_counter(int32_t variable);
bool has_counters(const struct graph *graph);
/* One of both: do the places of its writes mean nothing? */
bool is_unordered(int32_t variable);
/* An access comes in: is its variable one still?  False: something is none, and the search has to start again.  SOUND:
 * at once, since what was added to a counter has no source, and says nothing about its value. */
bool registers_meet(const struct graph_event *access);
/* Somebody sees what is last in some of these bytes without being told which write that is. */
void registers_show(uintptr_t from, size_t size, int life);
/* Two threads can be exchanged. */
void registers_give_up(void);
/* Was something taken for a register that is none?  Asking clears it. */
bool registers_learnt(void);
/* It changes with all that is known of them: another process has to know it, too. */
unsigned registers_known(void);

/* Is there an order of the writes of registers with which a graph is sequential?  They have their places then. */
bool registers_fit(struct graph *graph);

#endif
