/* All memory of the program that can still matter, piece by piece. */
#ifndef ISOSPIN_MEMORY_H
#define ISOSPIN_MEMORY_H

#include "frames.h"

enum memory_kind {
    SHARED,   /* writable data of the program and of libraries, and what one execution has besides */
    CONSTANT, /* data that nobody writes */
    OWN,      /* of a thread: live parts of its stack, registers, heap, thread-local storage, its record */
    OWN_IF_POINTED, /* parts of its stack that matter only if there is a pointer to them */
};

/* Told of each piece; false: enough. */
typedef bool (*memory_visit)(enum memory_kind kind, int owner, const void *from, size_t size, void *context);
bool memory_each(memory_visit visit, void *context);

/* The same for the live blocks of one thread's heap. */
bool memory_heap(const struct thread *thread, memory_visit visit, void *context);
/* The stack of a living thread that has begun, as it is now; valid until the next step. */
const struct walk *memory_walk(const struct thread *thread);
/* Once. */
void memory_open(void);

#endif
