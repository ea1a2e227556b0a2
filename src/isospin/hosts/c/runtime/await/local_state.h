/* What a thread that runs knows by itself: the part of its registers and its stack that matters from here on. */
#ifndef ISOSPIN_LOCAL_STATE_H
#define ISOSPIN_LOCAL_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* A word that may be an address in the region of the current thread: counted from there, and `own` is set then. */
uint64_t own_address(uint64_t word, bool *own);
/* Of the current thread, which called the runtime with this frame.  Where `own` is set, the same number means the
 * same for this thread only. */
uint64_t local_state(void **entry, bool *own);

#endif
