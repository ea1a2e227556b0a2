/* Who goes where by markers alone, for any group.

   Reference: Bosnacki, Donaldson, Leuschel, Massart, Algorithm 5.1 (markers for all permutations within families; what
   to do with other groups is left open there).
   Differs: the stabiliser chain of the group says who may still go to which point, so any group will do; and each state
   is tested: where two with equal markers cannot simply be exchanged, the markers say nothing, and `canon.inc.h`
   searches.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_MARKERS_H
#define ISOSPIN_MARKERS_H

#include "fold/elements.inc.h"

/* ------------------------------------------------------------------------------------------- who can be exchanged */

#if OBJECTS
/* Does a swap keep the state, up to addresses?  The cells alone say so if no object and no call names the two. */
static bool swap_keeps_all(struct canon *r, int swap, int p, int q)
{
    if (!SAVED_NAMES && !r->heap_edges.is_held[p] && !r->heap_edges.is_held[q] && swap_keeps(swap, r->v)) {
        return true;
    }
    word image[KEY_WORDS];
    if (!r->has_plain) {
        movable e[MOVABLES];
        set_identity(e);
        image_of(e, r->state, r->v, r->plain);
        r->has_plain = true;
    }
    image_of(SWAP[swap], r->state, r->v, image);
    return compare(image, r->plain) == 0;
}
#elif SAVED_NAMES
#define swap_keeps_all(r, swap, p, q) false /* SOUND: a swap changes more than the cells */
#else
#define swap_keeps_all(r, swap, p, q) swap_keeps(swap, (r)->v)
#endif

static bool can_swap(struct canon *r, int p, int q)
{
    const int swap = SWAP_OF[p][q];
    return swap >= 0 && swap_keeps_all(r, swap, p, q);
}

/* ------------------------------------------------------------------------------------------- along the chain */

/* Which of those that may go to the point of a level has the least marker, by its index in `reach`; how many do. */
ALWAYS_INLINE int least_marker(const struct level *level, const uint64_t *markers, const uint8_t *at, unsigned *ways)
{
    uint64_t least = markers[at[level->reach[0]]];
    int chosen = 0;
    *ways = 1;
    for (int y = 1; y < level->n_reach; y++) {
        const uint64_t marker = markers[at[level->reach[y]]];
        *ways = marker < least ? 1 : *ways + (marker == least);
        chosen = marker < least ? y : chosen;
        least = marker < least ? marker : least;
    }
    return chosen;
}

/* Can the chosen one be exchanged with all that have the same marker? */
static bool are_exchangeable(struct canon *r, const struct level *level, const uint64_t *markers, const uint8_t *at,
                             int chosen)
{
    const int first = at[level->reach[chosen]];
    for (int y = chosen + 1; y < level->n_reach; y++) {
        const int other = at[level->reach[y]];
        if (markers[other] == markers[first] && !can_swap(r, first, other)) {
            return false;
        }
    }
    return true;
}

/* The symmetry that puts the least markers first, by the images of the points.  If it is `tested`, returns how many
   automorphisms the state has; 0: the markers do not tell who goes where.

   SOUND: markers depend on the state only up to symmetry.  Let a and b have the same marker on a level.  If their swap
   is a symmetry that keeps the state, then g and g after the swap make the same image, and what puts a there becomes
   what puts b there: all choices end in one image.  An automorphism that fixes those that were chosen before takes the
   chosen one to one with its marker, and the swaps take it to each of them: so many there are. */
static wide place_by_markers(struct canon *r, const uint64_t *markers, uint8_t *images, bool tested)
{
    uint8_t at[POINTS], next[POINTS]; /* who is at each place */
    wide automorphisms = 1;
    for (int p = 0; p < POINTS; p++) {
        at[p] = (uint8_t)p;
    }
    for (int l = 0; l < LEVELS; l++) {
        const struct level *level = &LEVEL[l];
        unsigned ways;
        const int chosen = least_marker(level, markers, at, &ways);
        if (tested && ways > 1 && !are_exchangeable(r, level, markers, at, chosen)) {
            return 0;
        }
        automorphisms *= ways;
        if (level->reach[chosen] != level->point) {
            for (int p = 0; p < POINTS; p++) {
                next[p] = at[level->there[chosen][p]];
            }
            memcpy(at, next, sizeof at);
        }
    }
    for (int p = 0; p < POINTS; p++) {
        images[at[p]] = (uint8_t)p;
    }
    return automorphisms;
}

/* ------------------------------------------------------------------------------------------- the strategy */

/* For each point the last one of its orbit that its key reaches when they are sorted. */
static void rank_points(const uint64_t *key, uint8_t *rank)
{
    for (int p = 0; p < POINTS; p++) {
        rank[p] = (uint8_t)p;
    }
    for (int i = 0; i < N_MOVED; i++) {
        int upto = 0;
        for (int j = 0; j < N_MOVED; j++) {
            upto += ORBIT[MOVED[j]] == ORBIT[MOVED[i]] && key[MOVED[j]] <= key[MOVED[i]];
        }
        for (int j = 0; upto > 0; j++) {
            upto -= ORBIT[MOVED[j]] == ORBIT[MOVED[i]];
            rank[MOVED[i]] = MOVED[j];
        }
    }
}

/* What each process is, how often others name it, and to which markers it refers. */
static void find_markers(struct canon *r, const word *s, uint64_t *local)
{
    uint64_t markers[POINTS];
    uint8_t rank[POINTS];
    r->state = s;
    take_apart(s, r->v);
    find_edges(r, markers);
    for (int i = 0; i < r->n_links; i++) { /* how often others name it */
        const struct edge *e = &r->links[i];
        uint8_t hit[POINTS] = {0};
        for (int j = 1; j < e->a.n_of + e->b.n_of; j++) {
            hit[member(e, j)] = 1;
        }
        for (int j = 0; j < e->a.n_among; j++) {
            hit[e->a.among[j]] = 1;
        }
        for (int j = 0; j < e->b.n_among; j++) {
            hit[e->b.among[j]] = 1;
        }
        for (int p = 0; p < POINTS; p++) {
            markers[p] += hit[p] ? blend(e->label, MIX1) : 0;
        }
    }
    rank_points(markers, rank);
    memcpy(local, markers, sizeof markers);
    for (int i = 0; i < r->n_links; i++) { /* to which markers it refers */
        const struct edge *e = &r->links[i];
        const int n = e->a.n_of + e->b.n_of;
        if (n == 0) {
            continue;
        }
        uint64_t whole = e->label, rest = 0;
        for (int j = 1; j < n; j++) {
            whole = blend(whole, rank[member(e, j)]);
        }
        for (int j = 0; j < e->a.n_among; j++) {
            rest += blend(rank[e->a.among[j]], MIX1);
        }
        for (int j = 0; j < e->b.n_among; j++) {
            rest += blend(rank[e->b.among[j]], MIX1);
        }
        local[member(e, 0)] += blend(blend(whole, rest), MIX3);
    }
}

static MAYBE_UNUSED void fold_markers(word *s, uint8_t *images)
{
    struct canon r;
    uint64_t markers[POINTS];
    uint8_t place[POINTS];
    movable e[MOVABLES];
    find_markers(&r, s, markers);
    (void)place_by_markers(&r, markers, place, false);
    element_of(place, e);
    put_together(e, s, r.v, s);
    note_images(e, images);
}

/* The name of the process that stands for all with the same marker; the name itself if there is none. */
static int merged(int t, const struct names *n, const uint8_t *rank)
{
    for (uint32_t k = 0; k < n->limit + n->n_far; k++) {
        const int other = k < n->limit ? n->movable[k] : n->far_movable[k - n->limit];
        if (other < 0 || ORBIT[other] != ORBIT[t] || OWNERS[other].n_of != OWNERS[t].n_of) {
            continue;
        }
        bool fits = OWNERS[other].n_among == OWNERS[t].n_among;
        for (int i = 0; fits && i < OWNERS[t].n_of; i++) {
            fits = OWNERS[other].of[i] == rank[OWNERS[t].of[i]];
        }
        for (int i = 0; fits && i < OWNERS[t].n_among; i++) {
            fits = OWNERS[other].among[i] == OWNERS[t].among[i];
        }
        if (fits) {
            return other;
        }
    }
    return t;
}

/* What is looked up in place of the state: names of those with equal markers are not told apart. */
static MAYBE_UNUSED void key_markers(const word *s, word *key)
{
    struct canon r;
    uint64_t markers[POINTS];
    uint8_t rank[POINTS];
    find_markers(&r, s, markers);
    rank_points(markers, rank);
    memcpy(key, s, KEY_WORDS * sizeof(word));
    for (int i = 0; i < CELLS; i++) {
        const struct cell *c = &CELL[i];
        const int t = c->template <0 ? named(c, r.v, r.v[i]) : NOBODY;
        if (t >= 0) {
            word *at = key + c->word_at;
            *at = (*at & ~(c->mask << c->shift)) | ((word)VALUE[merged(t, &NAMES[c->names], rank)] & c->mask)
                                                       << c->shift;
        }
    }
}

#endif
