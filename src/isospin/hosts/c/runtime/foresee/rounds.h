/* What threads did in rounds of loops: where they were, what they read there, and where that led. */
#ifndef ISOSPIN_ROUNDS_H
#define ISOSPIN_ROUNDS_H

#include "graphs/graph.h"

/* The situation behind a read; 0: none, or it is not known. */
int next_of(int situation, uint64_t value);
/* What is read in a situation, without a source. */
const struct graph_event *read_in(int situation);
/* Would a thread that is there go on with this value? */
bool lets_pass(int situation, uint64_t value);
/* Is a round known to fail with one of so many reads, this one and those that follow? */
bool may_fail_within(int situation, int reads);
/* Does an update write anything else than was there? */
bool changes(const struct graph_event *event);

#endif
