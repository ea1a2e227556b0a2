/* What threads were seen to write, after each beginning of their own events, in all executions. */
#ifndef ISOSPIN_BEGINNINGS_H
#define ISOSPIN_BEGINNINGS_H

#include "graphs/graph.h"

struct to_come {
    int32_t variable;
    uint64_t value;
};

/* Where each thread is in a graph: numbers; 0: nothing was ever seen to follow from there. */
void find_beginnings(const struct graph *graph, uint32_t *found);
const struct to_come *writes_after(uint32_t beginning, unsigned *count);
/* A graph was run. */
void note_writes(const struct graph *graph);

/* What is relied on of a thread that is there: that it writes nothing with which one that reads in a situation (from 1
 * on) would pass, or nothing at all, or nothing of a variable.  If it does write that, foresaw_wrongly. */
void rely_on(uint32_t beginning, int what);
void rely_on_nothing(void);
enum { NO_WRITE = 0 };
static inline int no_write_of(int32_t variable) { return -1 - variable; }

#endif
