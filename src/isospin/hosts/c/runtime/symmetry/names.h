/* Addresses in memory: which bytes, read as a word, lie in a given range.  Every byte is looked at, aligned or not. */
#ifndef ISOSPIN_NAMES_H
#define ISOSPIN_NAMES_H

#include "fibers/region.h"

/* Told of each: where it is, and what it is.  False: enough. */
typedef bool (*name_found)(uintptr_t where, uintptr_t word, void *context);

/* Addresses of any region. */
bool names_of_regions(const void *from, size_t size, name_found found, void *context);
/* Addresses from `low` to `high`, both included; true if all were told. */
bool names_between(const void *from, size_t size, uintptr_t low, uintptr_t high, name_found found, void *context);

#endif
