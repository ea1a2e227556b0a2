/* Blocks of the heap.  The newest block of a thread is `thread->blocks`; each names the one before it. */
#ifndef ISOSPIN_HEAP_H
#define ISOSPIN_HEAP_H

#include "fibers/region.h"

struct block { /* before the bytes of the user, and not to be touched by him */
    struct block *previous;
    const void *pc; /* who asked for it, or who freed it; NULL: the runtime itself */
    struct block *freed_before; /* by the same thread: `thread->freed` is the last */
    size_t size;
    uint8_t freed, marked;
    const void *outer; /* where the function goes back to that asked for it, if that has a frame; or anything */
};

enum { FREED = 255 }; /* instead of the number of usable bytes */

static inline struct block *block_of(uintptr_t address) { return (struct block *)address - 1; }

/* The block that an address points into, or NULL. */
struct block *block_around(uintptr_t address);

#endif
