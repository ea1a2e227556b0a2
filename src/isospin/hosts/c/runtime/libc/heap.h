/* Blocks of the heap.  The newest block of a thread is `thread->blocks`; each names the one before it. */
#ifndef ISOSPIN_HEAP_H
#define ISOSPIN_HEAP_H

#include "fibers/region.h"

struct thread;

struct block { /* before the bytes of the user, and not to be touched by him */
    struct block *previous;
    const void *pc; /* who asked for it, or who freed it; NULL: the runtime itself */
    struct block *freed_before; /* by the same thread: `thread->freed` is the last */
    size_t size;
    uint8_t freed, marked;
    uint8_t seat; /* enum seat */
    uint8_t mapped; /* by mmap: neither freed nor leaked */
    uint32_t shift; /* in units of 16 bytes: how far behind its seat it lies (seats.c) */
    const void *outer; /* where the function goes back to that asked for it, if that has a frame; or anything */
};

enum { FREED = 255 }; /* instead of the number of usable bytes */

static inline struct block *block_of(uintptr_t address) { return (struct block *)address - 1; }

/* The block that an address points into, or NULL. */
struct block *block_around(uintptr_t address);
/* The same, or just behind its last byte. */
struct block *block_about(uintptr_t address);

/* ---- for mmap: pages of which so many bytes were asked for; and all of them are to be used, after all */
void *allocate_pages(size_t size, size_t room, const void *pc);
void use_pages(void *from, size_t room);

/* ---- seats.c */
enum seat {
    TAKEN,
    KEPT,       /* for ever: it has an object of synchronisation in it */
    GIVEN_BACK, /* by the thread that took it */
    LEFT,       /* and it can be taken again: the block is none of `thread->blocks` any more */
};
static inline uintptr_t seat_of_block(const struct block *block)
{
    return (uintptr_t)(block + 1) - block->shift * (uintptr_t)16;
}
/* A thread gets a block that begins here: how far behind its seat that is. */
uint32_t seat_taken(struct thread *thread, uintptr_t from, size_t room, size_t alignment);
/* The current thread frees a block. */
void seat_given_back(struct block *block);
/* Is it an address in the heap of a thread that has seats? */
bool has_seats(uintptr_t address);
/* An object of synchronisation lies here: its seat is not for another one. */
void seat_kept(uintptr_t address);
/* An execution begins. */
void seats_reset(void);

#endif
