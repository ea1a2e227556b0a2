/* What elements do to objects, and to what calls have saved: names change where they stand.

   Reference: `symmetry/folding/action.py`.
   Differs: nothing.

   A template (codegen/templates.py), of models that have objects or calls that save names. */
#ifndef ISOSPIN_NAME_PLACES_H
#define ISOSPIN_NAME_PLACES_H

#if OBJECTS
#include "fold/chains.inc.h"
#endif

ALWAYS_INLINE int held_at(const word *at, unsigned shift, const struct name_place *h)
{
    return named_in(h->names, *at >> shift & h->mask);
}

ALWAYS_INLINE void rename_at(const movable *e, word *at, unsigned shift, const struct name_place *h)
{
    const int t = held_at(at, shift, h);
    if (t >= 0) {
        put(at, shift, h->mask, VALUE[e[t]]);
    }
}

#if OBJECTS
static void rename_in_objects(const movable *e, word *s)
{
    for (unsigned slot = 0; MOST_NAME_PLACES && slot < HEAP_SLOTS; slot++) {
        const unsigned tag = tag_of(s, slot);
        for (unsigned i = 0; i < N_NAME_PLACES[tag]; i++) {
            const struct name_place *h = &NAME_PLACE[tag][i];
            rename_at(e, s + CELL_WORD[slot] + h->word_at, CELL_SHIFT[slot] + h->shift, h);
        }
    }
}
#endif

#if SAVED_NAMES
static void rename_in_calls(const movable *e, word *s)
{
    for (unsigned pid = 0; pid < n_processes(s); pid++) {
        const unsigned t = template_of(s, pid), depth = depth_of(s, pid, t);
        for (unsigned i = 0; i < depth; i++) {
            const struct entry at = entry_of(pid, t, i);
            const unsigned site = FIRST_SAVED[t] + site_of(s, at, t);
            for (unsigned k = 0; k < N_SAVED_NAME_PLACES[site]; k++) {
                const struct name_place *h = &SAVED_NAME_PLACE[site][k];
                rename_at(e, s + at.word + h->word_at, at.shift + h->shift, h);
            }
        }
    }
}
#endif

/* The image of a state; where heaps are folded, with its heap in order. */
static void image_of(const movable *e, const word *s, const word *v, word *out)
{
    put_together(e, s, v, out);
#if SAVED_NAMES
    rename_in_calls(e, out);
#endif
#if OBJECTS
    rename_in_objects(e, out);
#endif
#if OBJECTS && HEAP_FOLDS
    fold_heap(out);
#endif
}

#if OBJECTS
/* ------------------------------------------------------------------------------------------- heap edges */

enum { NO_END = INT32_MIN };

/* Two ends that an address or a name connects: slots of objects, or movables (as ~number), or none. */
struct heap_edge {
    uint64_t label;
    int32_t a, b;
};

/* The heap edges of a state, and its loose objects: those that only pointers that move lead to. */
struct heap_edges {
    unsigned count, n_loose;
    struct heap_edge edge[CELLS + HEAP_SLOTS * (MOST_LINKS + MOST_NAME_PLACES) + 1];
    pointer loose[HEAP_SLOTS];
    uint8_t is_held[POINTS]; /* some object names it */
};
#endif

#endif
