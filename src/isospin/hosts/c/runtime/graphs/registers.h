/* Registers: atomic variables that are only loaded and stored, and that nobody waits for.
 *
 * What nobody reads has no order: a graph only says which write of a register each read sees, and is consistent if some
 * modification order fits.  The places that its writes have are those of such an order, and mean nothing else. Whatever
 * else is done to a variable shows its order; then it is none, and the search starts again.  Under sequential
 * consistency only, and not where threads are exchanged: fold.c compares places.
 */
#ifndef ISOSPIN_REGISTERS_H
#define ISOSPIN_REGISTERS_H

#include "graphs/graph.h"

/* A search begins: may there be any? */
void registers_open(bool wanted);
bool is_register(int32_t variable);
/* An access comes in: is its variable one still? */
void registers_meet(const struct graph_event *access);
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
