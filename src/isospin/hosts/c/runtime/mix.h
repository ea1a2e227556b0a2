/* A number for a sequence of numbers: each is mixed into that of those before it. */
#ifndef ISOSPIN_MIX_H
#define ISOSPIN_MIX_H

#include <stdint.h>

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ul;
    return hash ^ hash >> 29;
}

#endif
