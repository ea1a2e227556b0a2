/* The canonical image of a state, for any group.

   Reference: McKay and Piperno 2014 for refinement and individualisation; `symmetry/folding/canon.py`.
   Differs: two processes that can simply be exchanged are seen without a search; the order of the stabiliser comes from
   the orbits along the first path, as in nauty.

   SOUND: whatever the hashes say, a state is replaced by an image of itself under an element of the group.  Colours and
   their order depend on the state only up to symmetry, so that all states of an orbit get the same image.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_CANON_H
#define ISOSPIN_CANON_H

#include "fold/markers.inc.h"

/* ------------------------------------------------------------------------------------------- the search */

static int group_of(const uint8_t *group, int p)
{
    while (group[p] != p) {
        p = group[p];
    }
    return p;
}

static void join(uint8_t *group, int p, int q) { group[group_of(group, p)] = (uint8_t)group_of(group, q); }

static void add_automorphism(struct canon *r, const uint8_t *images)
{
    for (int p = 0; p < POINTS; p++) {
        join(r->group, p, images[p]);
    }
    if (r->n_automorphisms < MOST_AUTOMORPHISMS) {
        memcpy(r->automorphism[r->n_automorphisms++], images, POINTS);
    }
}

static void add_swap(struct canon *r, int p, int q)
{
    uint8_t images[POINTS];
    note_images(SWAP[SWAP_OF[p][q]], images);
    add_automorphism(r, images);
}

/* Can two processes be exchanged just like that? */
static bool are_twins(struct canon *r, int p, int q)
{
    if (!can_swap(r, p, q)) {
        return false;
    }
    add_swap(r, p, q);
    return true;
}

/* Does an automorphism that fixes the path map a process that was tried to this one? */
static bool is_like(struct canon *r, int pid, const uint8_t *tried, int n_tried, int level, bool on_first_path)
{
    uint8_t fresh[POINTS];
    uint8_t *group = r->group; /* all that are known fix the first path up to here */
    if (!on_first_path) {
        group = fresh;
        for (int p = 0; p < POINTS; p++) {
            fresh[p] = (uint8_t)p;
        }
        for (int i = 0; i < r->n_automorphisms; i++) {
            bool fixes = true;
            for (int l = 0; l < level && fixes; l++) {
                fixes = r->automorphism[i][r->path[l]] == r->path[l];
            }
            for (int p = 0; fixes && p < POINTS; p++) {
                join(fresh, p, r->automorphism[i][p]);
            }
        }
    }
    for (int i = 0; i < n_tried; i++) {
        if (group_of(group, pid) == group_of(group, tried[i])) {
            return true;
        }
    }
    for (int i = 0; i < n_tried; i++) {
        if (are_twins(r, pid, tried[i])) {
            return true;
        }
    }
    return false;
}

/* A whole element is known; the level to go back to. */
static int at_leaf(struct canon *r, const movable *e)
{
    struct leaf here;
    image_of(e, r->state, r->v, here.image);
    if (!r->has_leaf) {
        r->has_leaf = true;
        memcpy(here.element, e, sizeof here.element);
        memcpy(here.path, r->path, sizeof here.path);
        r->first = r->best = here;
        return LEVELS;
    }
    for (int k = 0; k < 2; k++) {
        const struct leaf *other = k ? &r->best : &r->first;
        if (compare(other->image, here.image) == 0) {
            uint8_t back[POINTS], images[POINTS];
            for (int p = 0; p < POINTS; p++) {
                back[other->element[p]] = (uint8_t)p;
            }
            for (int p = 0; p < POINTS; p++) {
                images[p] = back[e[p]];
            }
            add_automorphism(r, images);
            int level = 0;
            while (level < LEVELS && other->path[level] == r->path[level]) {
                level++;
            }
            return level;
        }
    }
    if (compare(here.image, r->best.image) < 0) {
        memcpy(here.element, e, sizeof here.element);
        memcpy(here.path, r->path, sizeof here.path);
        r->best = here;
    }
    return LEVELS;
}

static void note_orbit(struct canon *r, int pid)
{
    int size = 0;
    for (int p = 0; p < POINTS; p++) {
        size += group_of(r->group, p) == group_of(r->group, pid);
    }
    r->stabiliser *= (unsigned)size;
}

/* Can all that may go to the point of a level take each other's place?  (Noted later: automorphisms must fix the path.)
 */
static bool all_twins(struct canon *r, const struct level *level, const uint8_t *place, const uint64_t *colours,
                      uint64_t least)
{
    int first = NOBODY;
    for (int y = 0; y < level->n_reach; y++) {
        const int pid = place[level->reach[y]];
        if (colours[pid] != least) {
            continue;
        }
        if (first == NOBODY) {
            first = pid;
        } else if (!can_swap(r, first, pid)) {
            return false;
        }
    }
    return true;
}

/* Decide which process goes to the point of this level; the level to go back to. */
static int descend(struct canon *r, int l, const movable *e, const uint64_t *colours, bool on_first_path)
{
    if (l == LEVELS) {
        return at_leaf(r, e);
    }
    const struct level *level = &LEVEL[l];
    uint8_t place[POINTS], tried[POINTS];
    int n_tried = 0, n_options = 0;
    uint64_t least = UINT64_MAX;
    for (int p = 0; p < POINTS; p++) {
        place[e[p]] = (uint8_t)p;
    }
    for (int y = 0; y < level->n_reach; y++) {
        const uint64_t colour = colours[place[level->reach[y]]];
        n_options = colour < least ? 1 : n_options + (colour == least);
        least = colour < least ? colour : least;
    }
    const bool alike = OBJECTS && n_options > 1 && all_twins(r, level, place, colours, least);
    for (int y = 0; y < level->n_reach; y++) {
        const int pid = place[level->reach[y]];
        if (alike && n_tried && colours[pid] == least) {
            add_swap(r, tried[0], pid);
            continue;
        }
        if (colours[pid] != least || (n_tried && is_like(r, pid, tried, n_tried, l, on_first_path))) {
            continue;
        }
        tried[n_tried++] = (uint8_t)pid;
        r->path[l] = (uint8_t)pid;
        movable next[MOVABLES];
        uint64_t below[VERTICES];
        memcpy(below, colours, sizeof below);
        if (n_options > 1) {
            below[pid] = blend(below[pid], MIX3);
            if (!alike) { /* among those that can all be exchanged, nothing new would be seen */
                refine(r, below);
            }
        }
        compose(level->back[y], e, next);
        const int jump = descend(r, l + 1, next, below, on_first_path && n_tried == 1);
        if (jump < l) {
            return jump;
        }
    }
    if (on_first_path) {
        note_orbit(r, r->first.path[l]);
    }
    return l;
}

/* Objects are looked at where the rest does not tell all processes apart. */
ALWAYS_INLINE void tell_apart(struct canon *r, uint64_t *colours)
{
#if OBJECTS
    r->heap_edges.count = r->heap_edges.n_loose = 0;
    refine(r, colours);
    if (count_colours(colours) < N_MOVED) {
        find_heap_edges(r, colours);
        refine(r, colours);
    }
#else
    refine(r, colours);
#endif
}

/* What the state says about each process, up to names. */
static void mark(struct canon *r, const word *s, uint64_t *colours)
{
    r->state = s;
#if OBJECTS
    r->has_plain = false;
#endif
    take_apart(s, r->v);
    find_edges(r, colours);
    tell_apart(r, colours);
}

static void canonise(struct canon *r, const uint64_t *colours)
{
    movable e[MOVABLES];
    r->has_leaf = false;
    r->n_automorphisms = 0;
    r->stabiliser = 1;
    for (int p = 0; p < POINTS; p++) {
        r->group[p] = (uint8_t)p;
    }
    set_identity(e);
    (void)descend(r, 0, e, colours, true);
}

/* |G| / |stabiliser|: the action need not be free. */
static MAYBE_UNUSED wide size_by_search(const word *s)
{
    struct canon r;
    uint64_t colours[VERTICES];
    uint8_t images[POINTS];
    mark(&r, s, colours);
    wide stabiliser = place_by_markers(&r, colours, images, true);
    if (stabiliser == 0) {
        canonise(&r, colours);
        stabiliser = r.stabiliser;
    }
    return GROUP_ORDER / stabiliser;
}

static MAYBE_UNUSED void fold_exact(word *s, uint8_t *images)
{
    struct canon r;
    uint64_t colours[VERTICES];
    uint8_t by_markers[POINTS];
    mark(&r, s, colours);
    if (place_by_markers(&r, colours, by_markers, true)) {
        movable e[MOVABLES];
        element_of(by_markers, e);
        image_of(e, s, r.v, s);
        note_images(e, images);
        return;
    }
    canonise(&r, colours);
    memcpy(s, r.best.image, sizeof r.best.image);
    note_images(r.best.element, images);
}

#endif
