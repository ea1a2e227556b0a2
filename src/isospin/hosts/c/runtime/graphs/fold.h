/* Which of the graphs that are the same up to renaming of alike threads is explored: decided on every prefix.
 *
 * `docs/explanation/stateless.md` has the argument why a graph that is not in order may be left out with all that
 * follows it, and `weak-memory.md` why that is so under every memory model here.
 */
#ifndef ISOSPIN_FOLD_H
#define ISOSPIN_FOLD_H

#include "graphs/graph.h"

struct search;

/* A birth has just been executed, and is the last event of the graph: are there threads now that can be exchanged? */
void fold_look(struct search *search, struct graph *graph);
/* Is a graph to be explored, or one of its images? */
bool fold_keeps(const struct graph *graph);
/* How many executions one that went to its end stands for, at least. */
long long fold_size(const struct graph *graph);

#endif
