/* Memory that a round reads and nobody else writes: a part of the state in which it began.
 *
 * Whether a round fails is taken to be decided by the registers and the stack of its thread, and by what it reads
 * atomically.  Over execution graphs plain reads of memory that only this thread writes, or nobody, are no reads of the
 * round.  But they may decide as well: `while (atomic_load(&turn) <= me->seen) ;`, with `me` in the heap.
 *
 * So what was read behind an operation in a round is remembered, in all executions, and its content counts for where
 * the thread is whenever it comes to that operation.  SOUND: the content is then what it will be when it is read, since
 * nobody else writes it (if somebody does, that is learnt: race_unwritten), and to write it oneself ends the round.
 *
 * Where rounds fail, the search starts again with what it learns.  For what follows from a situation (foresee/) it need
 * not: that is noted when it was seen, and not noted if what was read on the way did not count yet, or if something
 * counts for where it led that did not count before.  SOUND: so what is noted follows from what is in the number.
 */
#ifndef ISOSPIN_PRIVATE_H
#define ISOSPIN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The current thread comes to an operation. */
void private_come(int thread);
/* Where it is, at an operation that may end a failed round, and with it what it was seen to read behind that. */
uint64_t private_count(uint64_t situation);
/* A number for where it is, of those of a kind, and with it what it was seen to read until the round ended; 0: that is
 * too much. */
int private_number(uint64_t situation, uint64_t kind, const void *pc);
/* Is it known by now to read more there?  Then the same place has another number. */
bool private_is_old(int number);
/* Does all that counts for the next number count for this one (or is there no next one)?  Otherwise it does from now
 * on, and this number is old. */
bool private_leads(int number, int next);
/* It reads what nobody else writes. */
void private_read(uintptr_t from, size_t size);
/* It did more than to look. */
void private_forget(int thread);

#endif
