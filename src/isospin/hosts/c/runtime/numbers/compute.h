/* What code computes from values, as a rule says it (wire/places.h). */
#ifndef ISOSPIN_COMPUTE_H
#define ISOSPIN_COMPUTE_H

#include "wire/places.h"

/* Of a rule, if its leaves have these values. */
uint64_t value_of(const struct rule *rule, const uintptr_t leaves[2]);

#endif
