/* Operations that threads were seen to be about to make, each kind of them once. */
#ifndef ISOSPIN_OPERATIONS_H
#define ISOSPIN_OPERATIONS_H

#include "graphs/graph.h"

/* The number of what an event does, from 1 on; what it saw does not count. */
uint32_t operation_of(const struct graph_event *event);
/* An event that does that; NULL: only another process has seen it. */
const struct graph_event *operation_numbered(uint32_t number);
/* The same in all processes. */
uint64_t operation_key(uint32_t number);
uint32_t operation_with(uint64_t key);

#endif
