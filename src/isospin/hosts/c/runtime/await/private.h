/* Memory that a round reads and nobody else writes: a part of the state in which it began.
 *
 * Whether a round fails is taken to be decided by the registers and the stack of its thread, and by what it reads
 * atomically.  Over execution graphs plain reads of memory that only this thread writes, or nobody, are no reads of the
 * round.  But they may decide as well: `while (atomic_load(&turn) <= me->seen) ;`, with `me` in the heap.
 *
 * So what was read behind an operation in a round is remembered, in all executions, and its content counts for where
 * the thread is whenever it comes to that operation.  SOUND: the content is then what it will be when it is read, since
 * nobody else writes it (if somebody does, that is learnt: race_unwritten), and to write it oneself ends the round.
 */
#ifndef ISOSPIN_PRIVATE_H
#define ISOSPIN_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

/* The current thread comes to an operation. */
void private_come(int thread);
/* The number of where it is, and with it what it was seen to read behind this operation. */
uint64_t private_count(uint64_t situation);
/* It reads what nobody else writes.  If that is new, the search starts again. */
void private_read(uintptr_t from, size_t size);
/* It did more than to look. */
void private_forget(int thread);

#endif
