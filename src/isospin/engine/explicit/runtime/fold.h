/* Folding states by symmetry, for any group: what an element does to a state, and the strategies.

   Reference: `symmetry/` in Python, file by file; McKay and Piperno 2014 for refinement and individualisation.
   Differs: colours are sums of hashes, so that nothing is sorted; two processes that can simply be exchanged are seen
   without a search; the order of the stabiliser comes from the orbits along the first path, as in nauty.

   SOUND: whatever the hashes say, a state is replaced by an image of itself under an element of the group.  Colours and
   their order depend on the state only up to symmetry, so that all states of an orbit get the same image.

   Included by the generated model after its tables (see fold.py).  Elements are arrays of the numbers of things; the first
   POINTS things are the processes and the values of scalarsets. */
#ifndef ISOSPIN_FOLD_H
#define ISOSPIN_FOLD_H

#include <string.h>

#include "things.h"

enum { MOST_AUTOMORPHISMS = 16 };

#define HELD MIX3

/* MIX2 as y would forget x. */
ALWAYS_INLINE uint64_t blend(uint64_t x, uint64_t y) {
    wide p = (wide)(x ^ MIX1) * (y ^ MIX2);
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

ALWAYS_INLINE bool is_born(const word *s) { return IS_BORN(s); }

/* ------------------------------------------------------------------------------------------- what elements do */

ALWAYS_INLINE void take_apart(const word *s, word *v) {
    for (int i = 0; i < CELLS; i++) {
        v[i] = s[CELL[i].word_at] >> CELL[i].shift & CELL[i].mask;
    }
}

/* Is there a value?  Behind the last message there is none. */
ALWAYS_INLINE bool counts(const struct cell *c, const word *v) { return c->length < 0 || v[c->length] > c->position; }

ALWAYS_INLINE int named(const struct cell *c, const word *v, word value) {
    if (c->names < 0 || !counts(c, v)) {
        return NOBODY;
    }
    const struct names *n = &NAMES[c->names];
    if (value < n->limit) {
        return n->thing[value];
    }
    for (uint32_t i = 0; i < n->n_far; i++) {
        if (n->far_value[i] == value) {
            return n->far_thing[i];
        }
    }
    return NOBODY;
}

ALWAYS_INLINE int cell_after(const thing *e, int i) {
    const int t = CELL[i].thing;
    return t < 0 ? i : FIRST_CELL[e[t]] + (i - FIRST_CELL[t]);
}

ALWAYS_INLINE word value_after(const thing *e, const struct cell *c, const word *v, word value) {
    const int t = named(c, v, value);
    return t < 0 ? value : (word)VALUE[e[t]] & c->mask;
}

static void put_together(const thing *e, const word *s, const word *v, word *out) {
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

ALWAYS_INLINE void compose(const thing *after, const thing *first, thing *result) {
    for (int i = 0; i < THINGS; i++) {
        result[i] = after[first[i]];
    }
}

ALWAYS_INLINE void set_identity(thing *e) {
    for (int i = 0; i < THINGS; i++) {
        e[i] = (thing)i;
    }
}

ALWAYS_INLINE int compare(const word *a, const word *b) {
    for (int i = 0; i < KEY_WORDS; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

ALWAYS_INLINE void note_images(const thing *e, uint8_t *images) {
    for (int i = 0; images != NULL && i < POINTS; i++) {
        images[i] = (uint8_t)e[i];
    }
}

/* The symmetry that moves the processes like this; there must be one. */
static MAYBE_UNUSED void element_of(const uint8_t *images, thing *e) {
    set_identity(e);
    for (int l = 0; l < LEVELS; l++) {
        const struct level *level = &LEVEL[l];
        thing next[THINGS];
        for (int y = 0; y < level->n_reach; y++) {
            if (e[level->reach[y]] == images[level->point]) {
                compose(e, level->there[y], next);
                memcpy(e, next, sizeof next);
                break;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------- swaps */

ALWAYS_INLINE bool swap_keeps(int swap, const word *v) {
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
    thing element[THINGS];
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
};

ALWAYS_INLINE struct owners owners_of(int t) {
    return t < 0 ? (struct owners){0} : OWNERS[t];
}

/* What the state says about processes: at once if it is about one, as links if it is about several. */
static void find_edges(struct canon *r, uint64_t *colours) {
    r->n_links = 0;
    for (int p = 0; p < POINTS; p++) {
        colours[p] = 0;
    }
    for (int i = 0; i < CELLS; i++) {
        const struct cell *c = &CELL[i];
        const int held = named(c, r->v, r->v[i]);
        if ((c->thing < 0 && held < 0) || !counts(c, r->v)) {
            continue;
        }
        struct edge e = {0, owners_of(c->thing), owners_of(held)};
        e.label = held < 0 ? blend(c->label, r->v[i]) : blend(c->label ^ HELD, (uint64_t)ORBIT[held]);
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

static void look_along(const struct edge *e, const uint64_t *colours, uint64_t *seen) {
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

static int count_colours(const uint64_t *colours) {
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

/* Tell processes apart by the links that they are in, until nothing new is seen. */
static void refine(const struct canon *r, uint64_t *colours) {
    int count = count_colours(colours);
    while (r->n_links && count < N_MOVED) {
        uint64_t seen[POINTS] = {0};
        for (int i = 0; i < r->n_links; i++) {
            look_along(&r->links[i], colours, seen);
        }
        for (int i = 0; i < N_MOVED; i++) {
            colours[MOVED[i]] = blend(colours[MOVED[i]], seen[MOVED[i]]);
        }
        const int now_there = count_colours(colours);
        if (now_there == count) {
            return;
        }
        count = now_there;
    }
}

/* ------------------------------------------------------------------------------------------- the search */

static int group_of(const uint8_t *group, int p) {
    while (group[p] != p) {
        p = group[p];
    }
    return p;
}

static void join(uint8_t *group, int p, int q) { group[group_of(group, p)] = (uint8_t)group_of(group, q); }

static void add_automorphism(struct canon *r, const uint8_t *images) {
    for (int p = 0; p < POINTS; p++) {
        join(r->group, p, images[p]);
    }
    if (r->n_automorphisms < MOST_AUTOMORPHISMS) {
        memcpy(r->automorphism[r->n_automorphisms++], images, POINTS);
    }
}

/* Can two processes be exchanged just like that? */
static bool are_twins(struct canon *r, int p, int q) {
    const int swap = SWAP_OF[p][q];
    if (swap < 0 || !swap_keeps(swap, r->v)) {
        return false;
    }
    uint8_t images[POINTS];
    note_images(SWAP[swap], images);
    add_automorphism(r, images);
    return true;
}

/* Does an automorphism that fixes the path map a process that was tried to this one? */
static bool is_like(struct canon *r, int pid, const uint8_t *tried, int n_tried, int level, bool on_first_path) {
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
static int at_leaf(struct canon *r, const thing *e) {
    struct leaf here;
    put_together(e, r->state, r->v, here.image);
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

static void note_orbit(struct canon *r, int pid) {
    int size = 0;
    for (int p = 0; p < POINTS; p++) {
        size += group_of(r->group, p) == group_of(r->group, pid);
    }
    r->stabiliser *= (unsigned)size;
}

/* Decide which process goes to the point of this level; the level to go back to. */
static int descend(struct canon *r, int l, const thing *e, const uint64_t *colours, bool on_first_path) {
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
    for (int y = 0; y < level->n_reach; y++) {
        const int pid = place[level->reach[y]];
        if (colours[pid] != least || (n_tried && is_like(r, pid, tried, n_tried, l, on_first_path))) {
            continue;
        }
        tried[n_tried++] = (uint8_t)pid;
        r->path[l] = (uint8_t)pid;
        thing next[THINGS];
        uint64_t below[POINTS];
        memcpy(below, colours, sizeof below);
        if (n_options > 1) {
            below[pid] = blend(below[pid], MIX3);
            refine(r, below);
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

static void canonise(struct canon *r, const word *s) {
    uint64_t colours[POINTS];
    thing e[THINGS];
    r->state = s;
    r->has_leaf = false;
    r->n_automorphisms = 0;
    r->stabiliser = 1;
    for (int p = 0; p < POINTS; p++) {
        r->group[p] = (uint8_t)p;
    }
    take_apart(s, r->v);
    find_edges(r, colours);
    refine(r, colours);
    set_identity(e);
    (void)descend(r, 0, e, colours, true);
}

/* |G| / |stabiliser|: the action need not be free. */
static MAYBE_UNUSED wide size_by_search(const word *s) {
    struct canon r;
    canonise(&r, s);
    return GROUP_ORDER / r.stabiliser;
}

static MAYBE_UNUSED void fold_exact(word *s, uint8_t *images) {
    struct canon r;
    canonise(&r, s);
    memcpy(s, r.best.image, sizeof r.best.image);
    note_images(r.best.element, images);
}

/* ------------------------------------------------------------------------------------------- enumerate, segmented */

/* The least image so far, among those that make the main array least. */
struct least {
    const word *state;
    word v[CELLS], image[KEY_WORDS];
    val main[POINTS + 1], least_main[POINTS + 1]; /* of the state; of the image */
    thing element[THINGS];
    bool has_image;
};

static void try_element(struct least *r, const thing *e, bool by_main) {
    word image[KEY_WORDS];
    val main[POINTS + 1] = {0};
    int order = 0;
    for (int i = 0; by_main && i < N_MOVED; i++) {
        main[e[MOVED[i]]] = r->main[MOVED[i]];
    }
    for (int p = 0; r->has_image && order == 0 && p < POINTS; p++) {
        order = main[p] < r->least_main[p] ? -1 : main[p] > r->least_main[p];
    }
    if (order > 0) {
        return;
    }
    put_together(e, r->state, r->v, image);
    if (!r->has_image || order < 0 || compare(image, r->image) < 0) {
        r->has_image = true;
        memcpy(r->image, image, sizeof image);
        memcpy(r->least_main, main, sizeof main);
        memcpy(r->element, e, sizeof r->element);
    }
}

/* All elements, or those that put the least value of the main array that is left first. */
static void each_element(struct least *r, int l, const thing *e, bool by_main) {
    if (l == LEVELS) {
        try_element(r, e, by_main);
        return;
    }
    const struct level *level = &LEVEL[l];
    uint8_t place[POINTS];
    val least = INT64_MAX;
    for (int p = 0; p < POINTS; p++) {
        place[e[p]] = (uint8_t)p;
    }
    for (int y = 0; by_main && y < level->n_reach; y++) {
        const val here = r->main[place[level->reach[y]]];
        least = here < least ? here : least;
    }
    for (int y = 0; y < level->n_reach; y++) {
        if (!by_main || r->main[place[level->reach[y]]] == least) {
            thing next[THINGS];
            compose(level->back[y], e, next);
            each_element(r, l + 1, next, by_main);
        }
    }
}

static MAYBE_UNUSED void fold_least(word *s, uint8_t *images, bool by_main) {
    struct least r;
    thing e[THINGS];
    r.state = s;
    r.has_image = false;
    for (int i = 0; by_main && i < N_MOVED; i++) {
        r.main[MOVED[i]] = main_value(s, MOVED[i]);
    }
    take_apart(s, r.v);
    set_identity(e);
    each_element(&r, 0, e, by_main);
    memcpy(s, r.image, sizeof r.image);
    note_images(r.element, images);
}

/* ------------------------------------------------------------------------------------------- sorted, flattened */

/* A value as the reference semantics compares it; behind the last message there is nothing, which is least. */
ALWAYS_INLINE val comparable(const struct cell *c, const word *v, word value) {
    if (!counts(c, v)) {
        return INT64_MIN;
    }
    if (c->template >= 0) {
        return (val)LOCATION[c->template][value];
    }
    return c->is_signed ? (val)(value << (64 - c->bits)) >> (64 - c->bits) : (val)value;
}

/* Does the swap make the state smaller?  Flattened: names do not count. */
ALWAYS_INLINE bool swap_lessens(int swap, const word *v, bool flat) {
    for (uint32_t i = SWAP_START[swap]; i < SWAP_START[swap + 1]; i++) {
        const struct cell *from = &CELL[SWAP_CHANGE[i].from], *to = &CELL[SWAP_CHANGE[i].to];
        if (IS_LENGTH[SWAP_CHANGE[i].to] || (flat && to->names >= 0 && to->template < 0)) {
            if (!flat || IS_LENGTH[SWAP_CHANGE[i].to] || counts(from, v) == counts(to, v)) {
                continue;
            }
            return !counts(from, v); /* a name, or none: the shorter queue is less */
        }
        const word value = v[SWAP_CHANGE[i].from];
        const val after = comparable(from, v, value_after(SWAP[swap], from, v, value));
        const val before = comparable(to, v, v[SWAP_CHANGE[i].to]);
        if (after != before) {
            return after < before;
        }
    }
    return false;
}

static MAYBE_UNUSED void fold_by_swaps(word *s, uint8_t *images, bool flat) {
    word first[CELLS], v[CELLS], next[CELLS];
    thing e[THINGS], moved[THINGS];
    take_apart(s, first);
    memcpy(v, first, sizeof v);
    set_identity(e);
    for (bool changed = true; changed;) {
        changed = false;
        for (int swap = 0; swap < SWAPS; swap++) {
            if (swap_lessens(swap, v, flat)) {
                memcpy(next, v, sizeof next);
                for (uint32_t i = SWAP_START[swap]; i < SWAP_START[swap + 1]; i++) {
                    const struct change c = SWAP_CHANGE[i];
                    next[c.to] = value_after(SWAP[swap], &CELL[c.from], v, v[c.from]);
                }
                memcpy(v, next, sizeof v);
                compose(SWAP[swap], e, moved);
                memcpy(e, moved, sizeof e);
                changed = true;
            }
        }
    }
    put_together(e, s, first, s);
    note_images(e, images);
}

/* What is looked up in place of the state: no names. */
static MAYBE_UNUSED void key_flattened(const word *s, word *key) {
    memcpy(key, s, KEY_WORDS * sizeof(word));
    for (int i = 0; i < CELLS; i++) {
        if (CELL[i].names >= 0 && CELL[i].template < 0) {
            key[CELL[i].word_at] &= ~(CELL[i].mask << CELL[i].shift);
        }
    }
}

/* ------------------------------------------------------------------------------------------- sorted by one array */

static MAYBE_UNUSED void key_by_main(const word *s, word *key) {
    uint8_t images[POINTS];
    word v[CELLS];
    thing e[THINGS];
    for (int p = 0; p < POINTS; p++) {
        images[p] = (uint8_t)p;
    }
    for (int f = 0; f < FAMILIES; f++) {
        const uint8_t *family = FAMILY[f];
        const int n = FAMILY_SIZE[f];
        uint8_t order[POINTS];
        memcpy(order, family, (size_t)n);
        for (int i = 0; i < n; i++) { /* selection sort: which of equal ones come first is part of the strategy */
            int least = i;
            for (int j = i + 1; j < n; j++) {
                least = main_value(s, order[j]) < main_value(s, order[least]) ? j : least;
            }
            const uint8_t here = order[i];
            order[i] = order[least];
            order[least] = here;
            images[order[i]] = family[i];
        }
    }
    take_apart(s, v);
    element_of(images, e);
    put_together(e, s, v, key);
}

/* ------------------------------------------------------------------------------------------- markers */

/* For each process its place in its family, and the last place of those with the same key. */
static void places(const uint64_t *key, uint8_t *place, uint8_t *rank) {
    for (int f = 0; f < FAMILIES; f++) {
        const uint8_t *family = FAMILY[f];
        const int n = FAMILY_SIZE[f];
        for (int i = 0; i < n; i++) {
            int before = 0, upto = -1;
            for (int j = 0; j < n; j++) {
                const uint64_t here = key[family[i]], there = key[family[j]];
                before += there < here || (there == here && j < i);
                upto += there <= here;
            }
            place[family[i]] = family[before];
            rank[family[i]] = family[upto];
        }
    }
}

/* Sort by location; those at the same one stay in order. */
static MAYBE_UNUSED void fold_by_place(word *s, uint8_t *images) {
    uint64_t key[POINTS];
    uint8_t place[POINTS], rank[POINTS];
    word v[CELLS];
    thing e[THINGS];
    for (int p = 0; p < POINTS; p++) {
        place[p] = (uint8_t)p;
        key[p] = (uint64_t)main_value(s, (unsigned)p);
    }
    places(key, place, rank);
    take_apart(s, v);
    element_of(place, e);
    put_together(e, s, v, s);
    note_images(e, images);
}

static void rank_processes(struct canon *r, const word *s, uint8_t *place, uint8_t *rank) {
    uint64_t markers[POINTS], local[POINTS];
    for (int p = 0; p < POINTS; p++) {
        place[p] = rank[p] = (uint8_t)p;
    }
    take_apart(s, r->v);
    find_edges(r, markers);
    memcpy(local, markers, sizeof local);
    for (int i = 0; i < r->n_links; i++) { /* how often others name it, and where */
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
    places(markers, place, rank);
    for (int p = 0; p < POINTS; p++) {
        local[p] = markers[p];
    }
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
    places(local, place, rank);
}

static MAYBE_UNUSED void fold_markers(word *s, uint8_t *images) {
    struct canon r;
    uint8_t place[POINTS], rank[POINTS];
    thing e[THINGS];
    rank_processes(&r, s, place, rank);
    element_of(place, e);
    put_together(e, s, r.v, s);
    note_images(e, images);
}

/* The name of the process that stands for all with the same marker; the name itself if there is none. */
static int merged(int t, const struct names *n, const uint8_t *rank) {
    for (uint32_t k = 0; k < n->limit + n->n_far; k++) {
        const int other = k < n->limit ? n->thing[k] : n->far_thing[k - n->limit];
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
static MAYBE_UNUSED void key_markers(const word *s, word *key) {
    struct canon r;
    uint8_t place[POINTS], rank[POINTS];
    rank_processes(&r, s, place, rank);
    memcpy(key, s, KEY_WORDS * sizeof(word));
    for (int i = 0; i < CELLS; i++) {
        const struct cell *c = &CELL[i];
        const int t = c->template < 0 ? named(c, r.v, r.v[i]) : NOBODY;
        if (t >= 0) {
            word *at = key + c->word_at;
            *at = (*at & ~(c->mask << c->shift)) | ((word)VALUE[merged(t, &NAMES[c->names], rank)] & c->mask) << c->shift;
        }
    }
}

/* ------------------------------------------------------------------------------------------- what the searches call */

/* A state becomes its representative; `images` (or NULL) says where the processes went. */
static MAYBE_UNUSED void fold_state(word *s, uint8_t *images) {
    for (int i = 0; images != NULL && i < POINTS; i++) {
        images[i] = (uint8_t)i;
    }
    if (is_born(s)) {
        FOLD(s, images);
    }
}

/* How many states a representative stands for. */
ALWAYS_INLINE wide orbit_size(const word *s) {
    if (!is_born(s)) {
        return 1;
    }
#ifdef ONE_SORT
    return size_by_keys(s);
#else
    return size_by_search(s);
#endif
}

#ifdef FOLD_KEY
ALWAYS_INLINE void key_state(const word *s, word *key) {
    if (is_born(s)) {
        FOLD_KEY(s, key);
    } else {
        memcpy(key, s, KEY_WORDS * sizeof(word));
    }
}
#endif

#ifdef ONE_SORT
/* Four at a time; the last ones may be folded twice, which changes nothing. */
static void fold_many(word *const *states, unsigned n) {
    for (unsigned i = 0; i < n; i += 4) {
        word *a = states[i], *b = states[i + 1 < n ? i + 1 : i], *c = states[i + 2 < n ? i + 2 : i],
             *d = states[i + 3 < n ? i + 3 : i];
        four_words s[KEY_WORDS], keys[N_MOVED];
        for (int w = 0; w < KEY_WORDS; w++) {
            s[w] = (four_words){a[w], b[w], c[w], d[w]};
        }
        const four_words unborn = unborn_four(s);
        if (UNLIKELY(unborn[0] | unborn[1] | unborn[2] | unborn[3])) {
            for (unsigned j = i; j < i + 4 && j < n; j++) {
                fold_state(states[j], NULL);
            }
            continue;
        }
        sort_four_words(s, keys);
        for (int w = 0; w < KEY_WORDS; w++) {
            a[w] = s[w][0];
            b[w] = s[w][1];
            c[w] = s[w][2];
            d[w] = s[w][3];
        }
    }
}
#else
static void fold_many(word *const *states, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        fold_state(states[i], NULL);
    }
}
#endif

#endif
