/* All words of memory that are addresses in the range of some thread, found once for each state.
 *
 * Questions about who is named, and whether there is a pointer to something, are many for each state, and memory is
 * large.
 */
#ifndef ISOSPIN_POINTERS_H
#define ISOSPIN_POINTERS_H

#include "fibers/memory.h"

struct pointer {
    uintptr_t where, word;
    struct part part; /* in which it is */
};

/* Told of each, in the order of memory; false: enough. */
typedef bool (*pointer_found)(const struct pointer *pointer, void *context);
/* Every byte is looked at, aligned or not; true if all were told. */
bool pointers_each(pointer_found found, void *context);

#endif
