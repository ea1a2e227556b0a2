/* What a thread that runs knows by itself: the part of its registers and its stack that matters from here on. */
#ifndef ISOSPIN_LOCAL_STATE_H
#define ISOSPIN_LOCAL_STATE_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ul;
    return hash ^ hash >> 29;
}

/* A word that may be an address in the region of the current thread: counted from there, and `own` is set then. */
uint64_t own_address(uint64_t word, bool *own);
/* Of the current thread, which called the runtime with this frame.  Where `own` is set, the same number means the
 * same for this thread only. */
uint64_t local_state(void **entry, bool *own);

#endif
