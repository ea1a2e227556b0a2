/* The stack of a parked thread: what it will return to, and which values it will find there. */
#ifndef ISOSPIN_FRAMES_H
#define ISOSPIN_FRAMES_H

#include "runtime.h"

#include "wire/places.h"

enum { MOST_FRAMES = 64 };

struct frame {
    uintptr_t pc;
    const struct place *place;
    uintptr_t top; /* what offsets count from */
    const uintptr_t *registers[SAVED_REGISTERS]; /* where their values are now */
};

struct walk {
    int count;
    struct frame frames[MOST_FRAMES];
    /* Behind these frames something is not understood: all registers and all bytes from here on count.  0: it is. */
    uintptr_t rest;
    uintptr_t rest_pc;
    const uintptr_t *rest_registers[SAVED_REGISTERS];
};

void walk_frames(const struct thread *thread, struct walk *walk);
static inline bool has_begun(const struct thread *thread) { return thread->operation.kind != OP_START; }

#endif
