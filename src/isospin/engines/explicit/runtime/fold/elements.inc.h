/* What the elements of a group do to a state, and the colours of its points.

   Reference: `symmetry/folding/action.py` and `symmetry/folding/shape.py`; McKay and Piperno 2014 for refinement.
   Differs: colours are sums of hashes, so that nothing is sorted.

   Elements are arrays of the numbers of movables; the first POINTS are the processes and the values of scalarsets.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_ELEMENTS_H
#define ISOSPIN_ELEMENTS_H

#include <string.h>
#include "fold/movables.inc.h"

enum { MOST_AUTOMORPHISMS = 16 };

#define HELD MIX3

/* MIX2 as y would forget x. */
ALWAYS_INLINE uint64_t blend(uint64_t x, uint64_t y)
{
    wide p = (wide)(x ^ MIX1) * (y ^ MIX2);
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

ALWAYS_INLINE bool is_born(const word *s) { return IS_BORN(s); }

/* ------------------------------------------------------------------------------------------- what elements do */

ALWAYS_INLINE void take_apart(const word *s, word *v)
{
    for (int i = 0; i < CELLS; i++) {
        v[i] = s[CELL[i].word_at] >> CELL[i].shift & CELL[i].mask;
    }
}

/* Is there a value?  Behind the last message there is none. */
ALWAYS_INLINE bool counts(const struct cell *c, const word *v) { return c->length < 0 || v[c->length] > c->position; }

/* What a value names, by a table of names. */
ALWAYS_INLINE int named_in(int table, word value)
{
    const struct names *n = &NAMES[table];
    if (value < n->limit) {
        return n->movable[value];
    }
    for (uint32_t i = 0; i < n->n_far; i++) {
        if (n->far_value[i] == value) {
            return n->far_movable[i];
        }
    }
    return NOBODY;
}

ALWAYS_INLINE int named(const struct cell *c, const word *v, word value)
{
    return c->names < 0 || !counts(c, v) ? NOBODY : named_in(c->names, value);
}

ALWAYS_INLINE int cell_after(const movable *e, int i)
{
    const int t = CELL[i].movable;
    return t < 0 ? i : FIRST_CELL[e[t]] + (i - FIRST_CELL[t]);
}

ALWAYS_INLINE word value_after(const movable *e, const struct cell *c, const word *v, word value)
{
    const int t = named(c, v, value);
    return t < 0 ? value : (word)VALUE[e[t]] & c->mask;
}

static void put_together(const movable *e, const word *s, const word *v, word *out)
{
    word result[KEY_WORDS];
    for (int i = 0; i < KEY_WORDS; i++) {
        result[i] = s[i] & ~MOVED_BITS[i];
    }
    for (int i = 0; i < CELLS; i++) {
        const struct cell *to = &CELL[cell_after(e, i)];
        result[to->word_at] |= value_after(e, &CELL[i], v, v[i]) << to->shift;
    }
    memcpy(out, result, sizeof result);
}

#if OBJECTS || SAVED_NAMES
#include "fold/name_places.inc.h"
#else
#define image_of put_together
#endif

ALWAYS_INLINE void compose(const movable *after, const movable *first, movable *result)
{
    for (int i = 0; i < MOVABLES; i++) {
        result[i] = after[first[i]];
    }
}

ALWAYS_INLINE void set_identity(movable *e)
{
    for (int i = 0; i < MOVABLES; i++) {
        e[i] = (movable)i;
    }
}

ALWAYS_INLINE int compare(const word *a, const word *b)
{
    for (int i = 0; i < KEY_WORDS; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

ALWAYS_INLINE void note_images(const movable *e, uint8_t *images)
{
    for (int i = 0; images != NULL && i < POINTS; i++) {
        images[i] = (uint8_t)e[i];
    }
}

/* The symmetry that moves the processes like this; there must be one. */
#if FOLLOWERS
static MAYBE_UNUSED void element_of(const uint8_t *images, movable *e)
{
    for (int i = 0; i < POINTS; i++) {
        e[i] = images[i];
    }
    for (int i = POINTS; i < MOVABLES; i++) {
        e[i] = (movable)LED_TO[i - POINTS][images[LEADER[i - POINTS]]];
    }
}
#else
static MAYBE_UNUSED void element_of(const uint8_t *images, movable *e)
{
    set_identity(e);
    for (int l = 0; l < LEVELS; l++) {
        const struct level *level = &LEVEL[l];
        movable next[MOVABLES];
        for (int y = 0; y < level->n_reach; y++) {
            if (e[level->reach[y]] == images[level->point]) {
                compose(e, level->there[y], next);
                memcpy(e, next, sizeof next);
                break;
            }
        }
    }
}
#endif

/* ------------------------------------------------------------------------------------------- swaps */

ALWAYS_INLINE bool swap_keeps(int swap, const word *v)
{
    for (uint32_t i = SWAP_START[swap]; i < SWAP_START[swap + 1]; i++) {
        const struct change c = SWAP_CHANGE[i];
        if (value_after(SWAP[swap], &CELL[c.from], v, v[c.from]) != v[c.to]) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- colours */

struct edge {
    uint64_t label;
    struct owners a, b;
};

struct leaf {
    word image[KEY_WORDS];
    movable element[MOVABLES];
    uint8_t path[LEVELS + 1];
};

/* One search for the canonical state of an orbit. */
struct canon {
    const word *state;
    word v[CELLS];
    struct edge links[CELLS];
    int n_links;
    bool has_leaf;
    struct leaf first, best;
    uint8_t path[LEVELS + 1];
    uint8_t group[POINTS]; /* processes that automorphisms of the state exchange, by a member */
    uint8_t automorphism[MOST_AUTOMORPHISMS][POINTS];
    int n_automorphisms;
    wide stabiliser;
#if OBJECTS
    struct heap_edges heap_edges;
    bool has_plain;
    word plain[KEY_WORDS]; /* the state with its heap in order, and nobody moved */
#endif
};

ALWAYS_INLINE struct owners owners_of(int t) { return t < 0 ? (struct owners){0} : OWNERS[t]; }

/* What the state says about processes: at once if it is about one, as links if it is about several. */
static void find_edges(struct canon *r, uint64_t *colours)
{
    r->n_links = 0;
    for (int p = 0; p < POINTS; p++) {
        colours[p] = 0;
    }
    for (int i = 0; i < CELLS; i++) {
        const struct cell *c = &CELL[i];
        const int held = named(c, r->v, r->v[i]);
        if ((c->movable < 0 && held < 0) || !counts(c, r->v) || c->is_silent) {
            continue;
        }
        struct edge e = {0, owners_of(c->movable), owners_of(held)};
        e.label = held < 0 ? blend(c->label, c->is_pointer ? r->v[i] != 0 : r->v[i])
                           : blend(c->label ^ HELD, (uint64_t)ORBIT[held]);
        const int several = e.a.n_of + e.b.n_of + e.a.n_among + e.b.n_among;
        if (several > 1) {
            r->links[r->n_links++] = e;
        } else if (several == 1) {
            const uint8_t *p = e.a.n_of ? e.a.of : e.b.n_of ? e.b.of : e.a.n_among ? e.a.among : e.b.among;
            colours[*p] += blend(e.label, MIX3);
        }
    }
}

ALWAYS_INLINE int member(const struct edge *e, int i) { return i < e->a.n_of ? e->a.of[i] : e->b.of[i - e->a.n_of]; }

static void look_along(const struct edge *e, const uint64_t *colours, uint64_t *seen)
{
    const int n = e->a.n_of + e->b.n_of;
    uint64_t whole = e->label, rest = 0;
    for (int i = 0; i < n; i++) {
        whole = blend(whole, colours[member(e, i)]);
    }
    for (int i = 0; i < e->a.n_among; i++) {
        rest += blend(colours[e->a.among[i]], MIX1);
    }
    for (int i = 0; i < e->b.n_among; i++) {
        rest += blend(colours[e->b.among[i]], MIX1);
    }
    whole = blend(whole, rest);
    for (int i = 0; i < n; i++) {
        uint64_t pattern = 1;
        for (int j = 0; j < n; j++) {
            pattern = 2 * pattern + (member(e, j) == member(e, i));
        }
        seen[member(e, i)] += blend(whole, pattern << 8 | (uint64_t)i);
    }
    for (int i = 0; i < e->a.n_among; i++) {
        seen[e->a.among[i]] += blend(whole, MIX3);
    }
    for (int i = 0; i < e->b.n_among; i++) {
        seen[e->b.among[i]] += blend(whole, MIX3);
    }
}

#if OBJECTS
#include "fold/heap_edges.inc.h"
#endif

static int count_colours(const uint64_t *colours)
{
    int count = 0;
    for (int i = 0; i < N_MOVED; i++) {
        bool new = true;
        for (int j = 0; j < i && new; j++) {
            new = colours[MOVED[i]] != colours[MOVED[j]];
        }
        count += new;
    }
    return count;
}

/* One round for loose objects; about how many colours they have then. */
ALWAYS_INLINE int refine_objects(const struct canon *r, uint64_t *colours, const uint64_t *seen)
{
#if OBJECTS
    for (unsigned i = 0; i < r->heap_edges.n_loose; i++) {
        const unsigned o = POINTS + r->heap_edges.loose[i];
        colours[o] = blend(colours[o], seen[o]);
    }
    return count_loose(&r->heap_edges, colours);
#else
    (void)r, (void)colours, (void)seen;
    return 0;
#endif
}

ALWAYS_INLINE bool has_links(const struct canon *r)
{
#if OBJECTS
    return r->n_links || r->heap_edges.count;
#else
    return r->n_links;
#endif
}

/* Tell processes apart by the links that they are in, until nothing new is seen. */
static void refine(const struct canon *r, uint64_t *colours)
{
    int count = count_colours(colours), all = 0;
    while (has_links(r) && count < N_MOVED) {
        uint64_t seen[VERTICES] = {0};
        for (int i = 0; i < r->n_links; i++) {
            look_along(&r->links[i], colours, seen);
        }
#if OBJECTS
        look_along_heap_edges(&r->heap_edges, colours, seen);
#endif
        for (int i = 0; i < N_MOVED; i++) {
            colours[MOVED[i]] = blend(colours[MOVED[i]], seen[MOVED[i]]);
        }
        const int objects = refine_objects(r, colours, seen), before = count;
        count = count_colours(colours);
        if (count == before && objects <= all) {
            return;
        }
        all = objects;
    }
}

#endif
