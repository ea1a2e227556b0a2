/* The stack of calls of a process: how many there are, and for each where it came from and what it saved.

   Entries stand one after the other from the oldest on; what is behind the last one is zero.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_CALLS_H
#define ISOSPIN_CALLS_H

#include "core/model.inc.h"

struct entry {
    unsigned word, shift;
};

ALWAYS_INLINE unsigned depth_of(const word *s, unsigned pid, unsigned t)
{
    return (unsigned)(s[LANE_WORD[pid] + DEPTH_WORD[t]] >> (LANE_SHIFT[pid] + DEPTH_SHIFT[t])) & DEPTH_MASK[t];
}

ALWAYS_INLINE void set_depth(word *n, unsigned pid, unsigned t, unsigned depth)
{
    put(n + LANE_WORD[pid] + DEPTH_WORD[t], LANE_SHIFT[pid] + DEPTH_SHIFT[t], DEPTH_MASK[t], depth);
}

ALWAYS_INLINE struct entry entry_of(unsigned pid, unsigned t, unsigned at)
{
    return (struct entry){LANE_WORD[pid] + ENTRY_WORD[t][at], LANE_SHIFT[pid] + ENTRY_SHIFT[t][at]};
}

ALWAYS_INLINE unsigned site_of(const word *s, struct entry e, unsigned t)
{
    return (unsigned)(s[e.word] >> e.shift) & SITE_MASK[t];
}

/* Was the function that the process is in called from this site? */
ALWAYS_INLINE bool comes_from(const word *s, unsigned pid, unsigned t, unsigned site)
{
    const unsigned depth = depth_of(s, pid, t);
    return depth && site_of(s, entry_of(pid, t, depth - 1), t) == site;
}

ALWAYS_INLINE void clear_entry(word *n, struct entry e, unsigned t)
{
    if (ENTRY_WORDS[t] > 1) {
        for (unsigned i = 0; i < ENTRY_WORDS[t]; i++) {
            n[e.word + i] = 0;
        }
    } else {
        put(n + e.word, e.shift, ones(ENTRY_BITS[t]), 0);
    }
}

#endif
