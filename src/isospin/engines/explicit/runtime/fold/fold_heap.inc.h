/* Folding where no process moves: only addresses do.

   A template (codegen/templates.py), in place of fold.inc.h. */
#ifndef ISOSPIN_FOLD_HEAP_H
#define ISOSPIN_FOLD_HEAP_H

#include "fold/chains.inc.h"

static MAYBE_UNUSED void fold_state(word *s, uint8_t *images)
{
    (void)images;
    fold_heap(s);
}

static void fold_many(word *const *states, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        fold_heap(states[i]);
    }
}

#endif
