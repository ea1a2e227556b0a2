/* All memory of the program that can still matter, part by part. */
#ifndef ISOSPIN_MEMORY_H
#define ISOSPIN_MEMORY_H

#include "fibers/frames.h"

enum part_kind {
    SHARED,   /* writable data of the program and of libraries, and what one execution has besides */
    CONSTANT, /* data that nobody writes */
    STORAGE,  /* of a thread: its thread-local storage and its record */
    STACK,    /* of a thread: what it will read from its registers and its stack */
    STACK_TO_FREE,    /* the same, but only a pointer to a block that will be freed */
    STACK_IF_POINTED, /* of a thread: matters only if there is a pointer to where it is */
    HEAP_IF_POINTED,  /* a block that a thread allocated: the same */
};

struct part {
    enum part_kind kind;
    int owner; /* a thread, or -1 */
    uintptr_t from;
    size_t size;
    uintptr_t low, high; /* of the last two: addresses from low to high lead to it */
};

/* Told of each part; false: enough. */
typedef bool (*part_visit)(const struct part *part, void *context);
bool memory_each(part_visit visit, void *context);

/* The same for the blocks of one thread's heap that are not freed. */
bool memory_heap(const struct thread *thread, part_visit visit, void *context);
/* The stack of a living thread that has begun, as it is now; valid until the next step. */
const struct walk *memory_walk(const struct thread *thread);
/* The variable that a byte of a frame is in, and the size of its elements; false if that is not known. */
bool memory_variable(const struct frame *frame, uintptr_t address, uintptr_t *low, uintptr_t *high, size_t *stride);

#endif
