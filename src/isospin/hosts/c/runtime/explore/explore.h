/* The exploration of all executions: dynamic partial-order reduction with source sets, sleep sets and symmetry.
 *
 * The same algorithm as ../../../dpor.py, in the program's own process, over contract.h.  Everything that it knows is
 * in the arena, so that in fork mode each execution may happen in another process.
 */
#ifndef ISOSPIN_EXPLORE_H
#define ISOSPIN_EXPLORE_H

#include "explore/contract.h"

struct search;

/* From the options of message.h: symmetry=0|1, all_errors=0|1, deadlock=0|1, max_depth, max_time, max_executions,
 * max_preemptions, progress (seconds between two signs of life). */
struct search *search_new(void);
/* Go on from the initial state with one execution, to its end or to where it turns out to be redundant.  True: there is
 * more to do.  Calls program_restart first. */
bool explore_execution(struct search *search);
/* The last message: counts, and why something was left out. */
void search_result(struct search *search);
/* The same, for whoever has to end the process at once (a signal, no memory): `why` is what was left out. */
void search_broken(struct search *search, const char *why);

/* Asked in the middle of a step that takes long: is there no time any more, or were we told to stop? */
bool explore_is_over(void);
/* Asked in the middle of a long computation of the search itself: is it over?  Then nothing counts that comes of it. */
bool search_is_over(void);

/* All of it, in this process; the messages are written. */
void explore(void);
/* The same by another search, which makes one execution at a time. */
void explore_by(bool (*execution)(struct search *search));
/* The same with a child for each execution. */
void explore_forked(void);
/* Python's searches over the program: one line a request, one message an answer (serve.c). */
void serve(void);

#endif
