/* Looking successors up, and what becomes of those that are new.

   Reference: Laarman, van de Pol, Weber, "Boosting multi-core reachability performance with shared hash tables" (2010).
   Differs: states are looked up in batches.  A batch waits while the lines that it needs are fetched and the next batch
   is collected, and is first sorted without branches into what was seen and what perhaps was not.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_LOOKUP_H
#define ISOSPIN_LOOKUP_H

#include <string.h>

#include "cluster/cluster.h"
#include "table/table.inc.h"

/* Word by word while that is short: words stay in registers then, where vectors would go through memory. */
#define COPY_WORDS(to, from, count) \
    do { \
        if ((count) <= 4) { \
            for (int i_ = 0; i_ < (count); i_++) \
                (to)[i_] = (from)[i_]; \
        } else { \
            memcpy(to, from, (count) * sizeof(word)); \
        } \
    } while (0)

ALWAYS_INLINE void copy_state(word *to, const word *from) { COPY_WORDS(to, from, STATE_WORDS); }

/* ------------------------------------------------------------------------------------------- results of lookups */

static COLD bool begin_chunk(struct worker *w)
{
    if (w->has_out && w->filling == NULL) { /* a search that continues */
        w->filling = shared.chunks[w->out];
        if (w->filling->used < CHUNK) {
            return true;
        }
    }
    if (w->filling != NULL && spill_is_due()) {
        (void)spill_chunk(w->out);
    }
    uint32_t number = chunk_new();
    if (number == UINT32_MAX) {
        return false;
    }
    w->out = number;
    w->has_out = true;
    w->filling = shared.chunks[number];
    w->last_in = UINT32_MAX;
    return true;
}

/* Room for one more state at the end of the worker's chunk, or NULL if there is no memory. */
ALWAYS_INLINE struct chunk *out_chunk(struct worker *w)
{
    if (UNLIKELY(w->filling == NULL || w->filling->used == CHUNK)) {
        if (!begin_chunk(w)) {
            return NULL;
        }
    }
    return w->filling;
}

ALWAYS_INLINE void count_new(struct worker *w, const word *s)
{
    POST(w->states, w->states + 1);
#ifdef ORBITS
    w->orbits += orbit_size(s);
#endif
    (void)s;
    if (++w->fresh == 64) {
        w->fresh = 0;
        if (__atomic_add_fetch(&shared.count, 64, __ATOMIC_RELAXED) > shared.table.limit) {
            shared.pause = true;
        }
    }
}

ALWAYS_INLINE uint32_t parent_of(const struct pending *p) { return (uint32_t)(p->origin >> 32); }

ALWAYS_INLINE uint32_t order_of(const struct pending *p) { return (uint32_t)p->origin; }

static void look_again(struct pending *p)
{
#if REUSES_CODES
    p->code = code_of(p->state);
    p->look = look_by(&shared.table, &p->code);
#else
    p->look = look_for(p->state);
#endif
}

/* The table may change here, and with it what the keys of the states that wait mean. */
static COLD void pause_here(struct worker *w)
{
    safe_point(w);
    for (uint32_t i = 0; i < w->n_waiting; i++) {
        look_again(w->waiting + i);
    }
    for (struct pending *p = w->batch; !CLUSTER && p != w->next; p++) {
        look_again(p);
    }
}

static COLD void grow_now(struct worker *w)
{
    shared.pause = true;
    pause_here(w);
}

/* Looks a state up and inserts it; NEW if it was not there.  FULL only when the search has to stop. */
ALWAYS_INLINE enum verdict visit(struct worker *w, const word *s, struct look look, struct chunk **where)
{
    for (;;) {
        struct chunk *c = out_chunk(w);
        if (UNLIKELY(c == NULL)) {
            return FULL;
        }
        *where = c;
        word *room = c->states + (size_t)c->used * KEY_WORDS;
        enum verdict v;
#if QUOTIENT_POSSIBLE
        if (LIKELY(shared.table.quotient)) {
            if (UNLIKELY(look.value == NOT_QUICK)) {
                v = TREE ? FULL : (enum verdict)side_insert(KEY_OF(s));
            } else {
                v = insert_quotient(&shared.table, look);
            }
            if (v == NEW) {
                memcpy(room, s, KEY_WORDS * sizeof(word));
            }
        } else
#endif
        {
            memcpy(room, s, KEY_WORDS * sizeof(word)); /* before others can see that it is there */
            if (UNLIKELY(shared.inexact)) {
                v = (enum verdict)inexact_insert(look.value);
            } else {
                v = insert_place(&shared.table, look, s, (uint64_t)w->out * CHUNK + c->used);
            }
        }
        if (LIKELY(v != FULL)) {
            return v;
        }
        grow_now(w);
        if (shared.stop) {
            return FULL;
        }
        look = look_for(s);
    }
}

/* ------------------------------------------------------------------------------------------- breadth first */

/* A state is at the end of the chunk: note whose successor it is. */
ALWAYS_INLINE void note_parent(struct worker *w, struct chunk *c, uint32_t parent)
{
    struct chunk *in = shared.chunks[w->in_chunk];
    if (UNLIKELY(w->last_in != w->in_chunk)) {
        note_segment(c, w->in_chunk, parent, kids_of(in, parent));
        w->last_in = w->in_chunk;
    }
    if (LIKELY(in->kids[parent] < SMALL - 1)) {
        in->kids[parent]++;
    } else {
        note_kid(in, parent);
    }
    c->used++;
}

#if CLUSTER
ALWAYS_INLINE void note_origin(struct worker *w, struct chunk *c, uint64_t origin);
#endif

#if REUSES_CODES
ALWAYS_INLINE word *codes_in(const struct chunk *c) { return c->states + (size_t)CHUNK * KEY_WORDS; }

/* The code of a state that is being expanded. */
ALWAYS_INLINE word code_at(uint32_t chunk, const struct chunk *c, uint32_t index)
{
    if (LIKELY((uint64_t)chunk * CHUNK + index >= coded_since)) {
        return codes_in(c)[index];
    }
    return code_of(c->states + (size_t)index * KEY_WORDS);
}
#endif

/* A new state is in the table, too. */
ALWAYS_INLINE void add_state(struct worker *w, const struct pending *p, struct chunk *c)
{
#if REUSES_CODES
    codes_in(c)[c->used] = p->code;
#endif
#if CLUSTER
    if (LIKELY(cluster.loading != LOADING_OLD || !shared.table.quotient)) { /* else the table has all of it */
        note_origin(w, c, p->origin);
    }
#else
    const uint32_t order = order_of(p);
    if (LIKELY(order < REPEATED)) {
        c->order[c->used] = (uint8_t)order;
    } else {
        note_order(c, c->used, order);
    }
    note_parent(w, c, parent_of(p));
#endif
    count_new(w, p->state);
}

#if WANTS_NEW
#include "table/tries.inc.h"
#endif

/* The states in a chunk are in the order of their parents. */
ALWAYS_INLINE void settle_before(struct worker *w, const struct pending *p)
{
#if WANTS_NEW
    if (UNLIKELY(w->first_try < w->n_tries && w->tries[w->first_try] < parent_of(p))) {
        settle_tries(w, parent_of(p));
    }
#else
    (void)w, (void)p;
#endif
}

static __attribute__((noinline)) void resolve_slowly(struct worker *w, const struct pending *p)
{
    struct chunk *c;
    settle_before(w, p);
    enum verdict v = UNLIKELY(w->lost) ? FULL : visit(w, p->state, p->look, &c);
    if (v == NEW) {
        add_state(w, p, c);
    } else if (UNLIKELY(v == FULL) && (!w->lost || parent_of(p) < w->lost)) {
        w->lost = parent_of(p) + 1;
    }
}

/* Most that were not seen before find room in the first line.  SOUND: it may stand there since the look at all of the
   batch, as the successor of another state. */
ALWAYS_INLINE void resolve(struct worker *w, const struct pending *p)
{
    if (QUOTIENT_POSSIBLE && in_line(p->look.line, p->look.value)) {
        return;
    }
    settle_before(w, p);
    unsigned used = QUOTIENT_POSSIBLE && w->is_only_thread && shared.table.quotient ? used_in_line(p->look.line) : LINE;
    struct chunk *c = w->filling;
    if (LIKELY(used < LINE && p->look.value != NOT_QUICK && c != NULL && c->used < CHUNK && !w->lost)) {
        p->look.line[used] = p->look.value;
        COPY_WORDS(c->states + (size_t)c->used * KEY_WORDS, p->state, KEY_WORDS);
        add_state(w, p, c);
    } else {
        resolve_slowly(w, p);
    }
}

/* If the line is full, the state is perhaps in the one beside it.  Without a branch, which nobody could predict. */
ALWAYS_INLINE void fetch_next_line(const word *line, bool wanted)
{
    const uintptr_t full = (__atomic_load_n(line + LINE - 1, __ATOMIC_RELAXED) != 0) & wanted;
    __builtin_prefetch((const void *)((uintptr_t)line ^ full * LINE * sizeof(word)), 0, 3);
}

/* Puts number i into the list if the state is not in the first line where it may be.  Without branches: one in five is
   not. SOUND: only a table of quotients says so; elsewhere the tag may be zero, as an empty slot is. */
ALWAYS_INLINE uint32_t sift(const struct pending *from, uint32_t i, uint32_t *which, uint32_t n, bool quotient)
{
    const bool away = !(QUOTIENT_POSSIBLE && (quotient & in_line(from[i].look.line, from[i].look.value)));
    fetch_next_line(from[i].look.line, away);
    which[n] = i;
    return n + away;
}

ALWAYS_INLINE uint32_t not_at_home(const struct pending *from, uint32_t count, uint32_t *which)
{
    const bool quotient = shared.table.quotient;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        n = sift(from, i, which, n, quotient);
    }
    return n;
}

#if REUSES_CODES
/* The fresh states get their codes. */
ALWAYS_INLINE void give_codes(struct worker *w)
{
    const struct chunk *in = shared.chunks[w->in_chunk];
    uint32_t all = 0;
    for (struct pending *p = w->batch, *end = w->next; p != end; p++) {
        const uint32_t parent = parent_of(p);
        const word changed = changes(p->state, in->states + (size_t)parent * KEY_WORDS);
        p->code = code_at(w->in_chunk, in, parent);
        p->changed = changed ? changed : 1;
        all += (uint32_t)__builtin_popcountll(p->changed);
    }
    if (LIKELY(coding.level == 0)) {
        change_codes(w->batch, all);
        return;
    }
    for (struct pending *p = w->batch, *end = w->next; p != end; p++) {
        p->code = deep_code_from(p->state, p->changed, p->code);
    }
}
#endif

/* Gives a state its key, and fetches what will be looked at. */
ALWAYS_INLINE void fetch(const struct table *t, struct pending *p)
{
#if REUSES_CODES
    p->look = look_by(t, &p->code);
#else
    p->look = look_in(t, p->state);
#endif
    __builtin_prefetch(p->look.line, 0, 3);
}

ALWAYS_INLINE void look_ahead(struct worker *w)
{
    const struct table t = shared.table; /* it does not change meanwhile, which the compiler cannot know */
    for (struct pending *p = w->batch, *end = w->next; p != end; p++) {
        fetch(&t, p);
    }
}

/* Both for a batch and the one that waits, in turns: memory is slower than either. */
ALWAYS_INLINE uint32_t fetch_and_sift(struct worker *w, uint32_t *which)
{
    const struct table t = shared.table;
    const uint32_t fresh = (uint32_t)(w->next - w->batch), old = w->n_waiting, both = fresh < old ? fresh : old;
    struct pending *const batch = w->batch, *const waiting = w->waiting;
    uint32_t n = 0;
    for (uint32_t i = 0; i < both; i++) {
        fetch(&t, batch + i);
        n = sift(waiting, i, which, n, true);
    }
    for (uint32_t i = both; i < fresh; i++) {
        fetch(&t, batch + i);
    }
    for (uint32_t i = both; i < old; i++) {
        n = sift(waiting, i, which, n, true);
    }
    return n;
}

/* A table that does not hold the states themselves. */
static void resolve_places(struct worker *w)
{
    for (uint32_t i = 0; i < w->n_waiting; i++) {
        if (!shared.inexact && i + AHEAD < w->n_waiting) {
            const struct pending *p = w->waiting + i + AHEAD;
            prefetch_stored(p->look.line, p->look.value >> PLACE_BITS);
        }
        resolve_slowly(w, w->waiting + i);
    }
}

/* The fresh states become their representatives. */
ALWAYS_INLINE void fold_batch(struct worker *w)
{
#ifdef FOLDS
    word *states[ROOM];
    unsigned n = 0;
    for (struct pending *p = w->batch; p != w->next; p++) {
        states[n++] = p->state;
    }
    fold_many(states, n);
#ifdef ISOSPIN_FOLD_TWICE
    fold_many(states, n); /* for the benchmark: what is more is the cost of folding */
#endif
#else
    (void)w;
#endif
}

#if CLUSTER
/* Those that wait are looked up, and nothing else. */
static __attribute__((noinline)) void resolve_waiting(struct worker *w)
{
    if (QUOTIENT_POSSIBLE && LIKELY(shared.table.quotient)) {
        uint32_t which[ROOM], count = not_at_home(w->waiting, w->n_waiting, which);
        for (uint32_t i = 0; i < count; i++) {
            resolve(w, w->waiting + which[i]);
        }
    } else {
        resolve_places(w);
    }
}

#include "cluster/scatter.inc.h"
#else

/* The batch that waited is looked up, the fresh one waits. */
static __attribute__((noinline)) void turn(struct worker *w)
{
    fold_batch(w);
#if REUSES_CODES
    give_codes(w);
#endif
    if (QUOTIENT_POSSIBLE && LIKELY(shared.table.quotient)) {
        uint32_t which[ROOM], count = fetch_and_sift(w, which);
        for (uint32_t i = 0; i < count; i++) {
            resolve(w, w->waiting + which[i]);
        }
    } else {
        look_ahead(w);
        resolve_places(w);
    }
    struct pending *empty = w->waiting;
    w->waiting = w->batch;
    w->n_waiting = (uint32_t)(w->next - w->batch);
    w->batch = w->next = empty;
    w->full = empty + ROOM;
}
#endif

#endif
