/* Addresses in memory: which bytes, read as a word, lie in a given range.  Every byte is looked at, aligned or not. */
#ifndef ISOSPIN_NAMES_H
#define ISOSPIN_NAMES_H

#include "fibers/memory.h"
#include "fibers/region.h"

/* Told of each: where it is, and what it is.  False: enough. */
typedef bool (*name_found)(uintptr_t where, uintptr_t word, void *context);

/* Addresses of any region. */
bool names_of_regions(const void *from, size_t size, name_found found, void *context);
/* Addresses from `low` to `high`, both included; true if all were told. */
bool names_between(const void *from, size_t size, uintptr_t low, uintptr_t high, name_found found, void *context);

/* ---- all addresses of regions, found once for each state: there are many questions about them, and memory is large */

struct pointer {
    uintptr_t where, word;
    struct part part; /* in which it is */
};

/* Told of each, in the order of memory; false: enough. */
typedef bool (*pointer_found)(const struct pointer *pointer, void *context);
/* True if all were told. */
bool pointers_each(pointer_found found, void *context);

#endif
