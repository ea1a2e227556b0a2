/* Folding states by symmetry: the strategies, and what the searches call.

   Reference: `symmetry/strategies/` in Python, file by file.
   Differs: states are compared as they are packed.

   A template (codegen/templates.py), behind the tables that fold.py makes. */
#ifndef ISOSPIN_FOLD_H
#define ISOSPIN_FOLD_H

#include "fold/canon.inc.h"

/* ------------------------------------------------------------------------------------------- enumerate, segmented */

/* The least image so far, among those that make the main array least. */
struct least {
    const word *state;
    word v[CELLS], image[KEY_WORDS];
    val main[POINTS + 1], least_main[POINTS + 1]; /* of the state; of the image */
    movable element[MOVABLES];
    bool has_image;
};

static void try_element(struct least *r, const movable *e, bool by_main)
{
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
    image_of(e, r->state, r->v, image);
    if (!r->has_image || order < 0 || compare(image, r->image) < 0) {
        r->has_image = true;
        memcpy(r->image, image, sizeof image);
        memcpy(r->least_main, main, sizeof main);
        memcpy(r->element, e, sizeof r->element);
    }
}

/* All elements, or those that put the least value of the main array that is left first. */
static void each_element(struct least *r, int l, const movable *e, bool by_main)
{
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
            movable next[MOVABLES];
            compose(level->back[y], e, next);
            each_element(r, l + 1, next, by_main);
        }
    }
}

static MAYBE_UNUSED void fold_least(word *s, uint8_t *images, bool by_main)
{
    struct least r;
    movable e[MOVABLES];
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
ALWAYS_INLINE val comparable(const struct cell *c, const word *v, word value)
{
    if (!counts(c, v)) {
        return INT64_MIN;
    }
    if (c->template >= 0) {
        return (val)LOCATION[c->template][value];
    }
    return c->is_signed ? (val)(value << (64 - c->bits)) >> (64 - c->bits) : (val)value;
}

/* Does the swap make the state smaller?  Flattened: names do not count. */
ALWAYS_INLINE bool swap_lessens(int swap, const word *v, bool flat)
{
    for (uint32_t i = SWAP_START[swap]; i < SWAP_START[swap + 1]; i++) {
        const struct cell *from = &CELL[SWAP_CHANGE[i].from], *to = &CELL[SWAP_CHANGE[i].to];
        if (IS_LENGTH[SWAP_CHANGE[i].to] || (flat && to->names >= 0 && to->template <0)) {
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

static MAYBE_UNUSED void fold_by_swaps(word *s, uint8_t *images, bool flat)
{
    word first[CELLS], v[CELLS], next[CELLS];
    movable e[MOVABLES], moved[MOVABLES];
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
static MAYBE_UNUSED void key_flattened(const word *s, word *key)
{
    memcpy(key, s, KEY_WORDS * sizeof(word));
    for (int i = 0; i < CELLS; i++) {
        if (CELL[i].names >= 0 && CELL[i].template <0) {
            key[CELL[i].word_at] &= ~(CELL[i].mask << CELL[i].shift);
        }
    }
}

/* ------------------------------------------------------------------------------------------- sorted by one array */

static MAYBE_UNUSED void key_by_main(const word *s, word *key)
{
    uint8_t images[POINTS];
    word v[CELLS];
    movable e[MOVABLES];
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

/* ------------------------------------------------------------------------------------------- sorted by location */

/* Those at the same one stay in order. */
static MAYBE_UNUSED void fold_by_place(word *s, uint8_t *images)
{
    uint8_t place[POINTS];
    word v[CELLS];
    movable e[MOVABLES];
    for (int p = 0; p < POINTS; p++) {
        place[p] = (uint8_t)p;
    }
    for (int f = 0; f < FAMILIES; f++) {
        const uint8_t *family = FAMILY[f];
        const int n = FAMILY_SIZE[f];
        for (int i = 0; i < n; i++) {
            int before = 0;
            for (int j = 0; j < n; j++) {
                const val here = main_value(s, family[i]), there = main_value(s, family[j]);
                before += there < here || (there == here && j < i);
            }
            place[family[i]] = family[before];
        }
    }
    take_apart(s, v);
    element_of(place, e);
    put_together(e, s, v, s);
    note_images(e, images);
}

/* ------------------------------------------------------------------------------------------- what the searches call */

ALWAYS_INLINE void fold_addresses(word *s)
{
#if OBJECTS && HEAP_FOLDS
    fold_heap(s);
#else
    (void)s;
#endif
}

#ifdef ONE_SORT
/* A sort does not reach the names in objects. */
ALWAYS_INLINE void rename_by_keys(word *s, const word *keys)
{
#if OBJECTS && MOST_NAME_PLACES
    uint8_t images[POINTS];
    movable e[MOVABLES];
    for (int p = 0; p < POINTS; p++) {
        images[p] = (uint8_t)p;
    }
    images_by_keys(keys, images);
    element_of(images, e);
    rename_in_objects(e, s);
#else
    (void)s, (void)keys;
#endif
}

static MAYBE_UNUSED void fold_by_sort(word *s, uint8_t *images)
{
    word keys[MEMBERS];
#if TIES
    word first[KEY_WORDS];
    memcpy(first, s, sizeof first);
#endif
    sort_word(s, keys);
#if TIES
    if (tied_word(keys)) {
        memcpy(s, first, sizeof first);
        fold_exact(s, images);
        return;
    }
#endif
    rename_by_keys(s, keys);
    fold_addresses(s);
    if (images != NULL) {
        images_by_keys(keys, images);
    }
}
#endif

/* A state becomes its representative; `images` (or NULL) says where the processes went. */
static MAYBE_UNUSED void fold_state(word *s, uint8_t *images)
{
    for (int i = 0; images != NULL && i < POINTS; i++) {
        images[i] = (uint8_t)i;
    }
    if (is_born(s)) {
        FOLD(s, images);
    } else {
        fold_addresses(s);
    }
}

/* How many states a representative stands for. */
ALWAYS_INLINE wide orbit_size(const word *s)
{
    if (!is_born(s)) {
        return 1;
    }
#if defined(ONE_SORT) && !TIES
    return size_by_keys(s);
#else
    return size_by_search(s);
#endif
}

#ifdef FOLD_KEY
ALWAYS_INLINE void key_state(const word *s, word *key)
{
    if (is_born(s)) {
        FOLD_KEY(s, key);
    } else {
        memcpy(key, s, KEY_WORDS * sizeof(word));
    }
}
#endif

#if defined(ONE_SORT) && OBJECTS
/* SOUND: a sorted state is in the orbit of the state, so one may go on from there where the keys do not tell all. */
ALWAYS_INLINE void after_four(word *const *states, unsigned n, const four_words *keys)
{
#if TIES
    const four_words tied = tied_four_words(keys);
#else
    const four_words tied = {0};
#endif
    for (unsigned j = 0; j < n; j++) {
        word mine[MEMBERS];
        for (int k = 0; MOST_NAME_PLACES && k < MEMBERS; k++) {
            mine[k] = keys[k][j];
        }
        rename_by_keys(states[j], mine);
        if (UNLIKELY(tied[j])) {
            fold_exact(states[j], NULL);
        } else {
            fold_addresses(states[j]);
        }
    }
}
#endif

#ifdef ONE_SORT
/* Four at a time; the last ones may be folded twice, which changes nothing. */
static void fold_many(word *const *states, unsigned n)
{
    for (unsigned i = 0; i < n; i += 4) {
        word *a = states[i], *b = states[i + 1 < n ? i + 1 : i], *c = states[i + 2 < n ? i + 2 : i],
             *d = states[i + 3 < n ? i + 3 : i];
        four_words s[KEY_WORDS], keys[MEMBERS];
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
#if OBJECTS
        after_four(states + i, n - i < 4 ? n - i : 4, keys);
#endif
    }
}
#else
static void fold_many(word *const *states, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        fold_state(states[i], NULL);
    }
}
#endif

#endif
