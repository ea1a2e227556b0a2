/* What the program says that it saw (`isospin_outcome`), and in how many executions it said so.
 *
 * Each thread adds to what it said before; at the end of an execution all that was said is one text, what threads said
 * in the order of the alphabet.  So neither the order in which independent threads speak nor their numbers matter, and
 * the outcome belongs to the execution, whichever of its interleavings was run.
 */
#ifndef ISOSPIN_OUTCOMES_H
#define ISOSPIN_OUTCOMES_H

#include <stdarg.h>
#include <stdbool.h>

/* Before the first execution; what is kept is in the arena, and so survives in fork mode. */
void outcomes_open(void);
/* An execution begins: nothing was said yet. */
void outcomes_begin(void);
void outcomes_say(int thread, const char *format, va_list parts);
/* Have two threads said the same so far? */
bool outcomes_alike(int one, int other);
/* An execution went to its end, and counts. */
void outcomes_count(void);
/* The search begins again: no execution was seen. */
void outcomes_forget(void);
/* One message for each outcome, if the program ever said anything. */
void outcomes_tell(void);
/* All that was said in this execution; valid until the next call. */
const char *outcomes_now(void);

#endif
