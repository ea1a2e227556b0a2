/* Where the memory of a thread is: thread number t owns one range of addresses, the same in every execution.
 *
 *   base                 its record (struct thread)
 *   base + TLS_TOP       its thread-local storage ends here (below: variables, above: libc's own record)
 *   base + HEAP_FROM     what it allocated, growing upwards
 *   base + STACK_FROM    its stack, growing downwards from the end of the range; before it a page that nobody may touch
 *
 * So the exchange of two threads is the exchange of two ranges, and an address that a thread gets from malloc depends
 * on nothing but its own history.
 *
 * A worked example (tests/data/programs/c/own_range.c runs it).  Thread 1 owns 0x100040000000 to 0x10007fffffff, thread
 * 2 the next GB.  The first malloc(16) of thread 1 gives 0x100040200030, and that of thread 2 0x100080200030, in every
 * execution, whoever came first.  To exchange the two, 0x100040200030 becomes 0x100080200030 wherever it stands in
 * memory: another range, the same offset.  An address of a variable of the program is in no range and stays as it is.
 */
#ifndef ISOSPIN_REGION_H
#define ISOSPIN_REGION_H

#include "symmetry/renaming.h"

#define REGION_END (REGION_BASE + MOST_THREADS * REGION_SIZE)
#define SPECIFIC_FROM 0x4000ul /* values of thread-specific data */
#define DTV_FROM 0x8000ul      /* the dynamic linker's table of thread-local blocks */
#define TLS_TOP 0x80000ul
#define STACK_SIZE 0x800000ul
#define STACK_FROM (REGION_SIZE - STACK_SIZE)
#define HEAP_END (STACK_FROM - 0x1000ul)

static inline uintptr_t region_of(int thread) { return REGION_BASE + (uintptr_t)thread * REGION_SIZE; }

#define NOWHERE (REGION_BASE + 1) /* an address that no pointer has */

/* The thread that owns an address, or -1. */
static inline int region_owner(uintptr_t address)
{
    return address - REGION_BASE < REGION_END - REGION_BASE ? (int)((address - REGION_BASE) / REGION_SIZE) : -1;
}

static inline bool in_heap(uintptr_t address)
{
    uintptr_t offset = address % REGION_SIZE;
    return address - REGION_BASE < REGION_END - REGION_BASE && offset >= HEAP_FROM && offset < HEAP_END;
}

static inline bool in_stack(uintptr_t address, int thread)
{
    return address - (region_of(thread) + STACK_FROM) < STACK_SIZE;
}

static inline uint8_t *live_at(uintptr_t address)
{
    return (uint8_t *)(LIVE_BASE + (address - REGION_BASE) / LIVE_UNIT);
}

/* The range of a thread is there; costs something the first time only. */
void region_open(int thread);

#endif
