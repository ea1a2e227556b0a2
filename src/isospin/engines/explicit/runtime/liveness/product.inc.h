/* The product of a model and a claim: what can follow one of its states.

   Reference: SPIN 6.5's verifiers: the claim moves first, then a process; when the run has ended, the claim goes on
   looking at its last state.

   Differs: with symmetry the part of the model is folded, and what the claim remembers stays: the symmetries are
   those that the claim cannot see.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_PRODUCT_H
#define ISOSPIN_PRODUCT_H

#include "liveness/finder.inc.h"
#include "search/search.inc.h"

#if SEVERAL
#define OWN static _Thread_local /* each thread has one */
#else
#define OWN static
#endif

/* A successor that may be new; the first one is on top. */
struct offer {
    word state[KEY_WORDS];
    uint64_t order; /* which successor of the state's part of the model it is, perhaps BY_EVERYBODY; or STAYS */
#if FAIR
    word movers[PID_WORDS];
    uint8_t images[SLOTS]; /* where folding took the processes */
#endif
};

OWN struct {
    struct offer *offers;
    uint64_t n_offers, room_offers;
    const char *trouble; /* how the claim is violated where it looked last, if at once */
} product;

/* Twice the room for an array that is part of a search. */
static COLD bool enlarge(void **items, uint64_t used, uint64_t *room, size_t size)
{
    const uint64_t before = *room ? *room : FIRST_ROOM / 2;
    void *larger = twice(*items, used, before, size);
    if (larger == NULL) {
        return false;
    }
    give_memory(*items, *room * size);
    *items = larger;
    *room = 2 * before;
    return true;
}

#define ROOM_IN(array, used, room) \
    (LIKELY((used) < (room)) || enlarge((void **)&(array), used, &(room), sizeof *(array)))

/* ------------------------------------------------------------------------------------------- the model's part */

/* The fresh successors become their representatives. */
ALWAYS_INLINE void fold_successors(struct worker *w)
{
#if defined(MOVES_POINTS) && FAIR
    for (struct pending *p = w->batch; p != w->next; p++) {
        fold_state(p->state, p->images);
#ifdef LIVE_BASE
        complete_images(p->images);
#endif
    }
#elif defined(FOLDS)
    for (struct pending *p = w->batch; p != w->next;) {
        word *states[ROOM];
        unsigned n = 0;
        while (n < ROOM && p != w->next) {
            states[n++] = p++->state;
        }
        fold_many(states, n);
    }
#else
    (void)w;
#endif
}

#if WANTS_NEW
#include "liveness/settle.inc.h"
#endif

/* Returns true if nothing can move. */
ALWAYS_INLINE bool step_model(struct worker *w, const word *s)
{
    w->everybody = false;
    bool stuck = !take_steps(w, s);
    fold_successors(w);
#if WANTS_NEW
    if (w->alone && !settle(w, s)) {
        w->everybody = true;
        w->next = w->batch;
        stuck = !take_steps(w, s);
        fold_successors(w);
    }
#endif
    return stuck;
}

/* ------------------------------------------------------------------------------------------- both together */

ALWAYS_INLINE struct offer *make_offer(const word *s, uint64_t order, unsigned claim, bool ended)
{
    if (UNLIKELY(!ROOM_IN(product.offers, product.n_offers, product.room_offers))) {
        return NULL;
    }
    struct offer *o = product.offers + product.n_offers++;
    COPY_WORDS(o->state, s, KEY_WORDS);
    SET_CLAIM(o->state, claim);
    if (ended) {
        SET_ENDED(o->state, 1);
    }
    SET_INNER(o->state, 0); /* so that it can be found on the stack */
    o->order = order;
    return o;
}

#if FAIR
static void make_fair_offer(const struct pending *p, const word *s, uint64_t order, unsigned claim)
{
    struct offer *o = make_offer(s, order, claim, p == NULL);
    if (o == NULL) {
        return;
    }
    for (unsigned i = 0; i < PID_WORDS; i++) {
        o->movers[i] = p == NULL ? 0 : p->movers[i];
    }
    for (unsigned pid = 0; pid < SLOTS; pid++) {
        o->images[pid] = p == NULL ? (uint8_t)pid : image_in(p, pid);
    }
}
#endif

ALWAYS_INLINE void offer_successor(const struct worker *w, const struct pending *p, unsigned claim)
{
    const uint64_t order = order_of(p) | (w->everybody ? BY_EVERYBODY : 0);
#if FAIR
    make_fair_offer(p, p->state, order, claim);
#else
    (void)make_offer(p->state, order, claim, false);
#endif
}

ALWAYS_INLINE void offer_end(const word *s, unsigned claim)
{
#if FAIR
    make_fair_offer(NULL, s, STAYS, claim);
#else
    (void)make_offer(s, STAYS, claim, true);
#endif
}

/* What the claim can do when it looks at the state; false if that violates it at once. */
static bool claim_looks(struct worker *w, const word *s, uint16_t *next, unsigned *count)
{
    w->timeout = w->idle;
    *count = claim_moves(w, s, CLAIM(s), ENDED(s), next);
    w->timeout = false;
    if (UNLIKELY(w->fault)) {
        w->fault = 0;
        *count = 0; /* what it would do with a value that is none does not matter */
        product.trouble = RUN_FAULT;
    }
    for (unsigned i = 0; i < *count; i++) {
        if (UNLIKELY(CLAIM_FINAL[next[i]])) {
            product.trouble = RUN_FINAL;
        }
    }
    return product.trouble == NULL;
}

/* The claim moves, then the model; a run that has ended stays where it is.  `inner`: only what may lead back to the
 * state. */
static void all_offers(struct worker *w, const word *key, bool inner)
{
    uint16_t next[CLAIM_STATES];
    unsigned count = 0;
    word s[STATE_WORDS];
    for (int i = 0; i < STATE_WORDS; i++) {
        s[i] = i < KEY_WORDS ? key[i] : 0;
    }
    const bool ended = ENDED(s);
    bool stuck = ended;
    w->next = w->batch;
    w->idle = ended;
#if FAIR
    memset(w->starters, 0, sizeof w->starters);
#endif
    if (CLAIM_SEES_TIMEOUT && !ended) {
        stuck = step_model(w, s);
    }
    if (!claim_looks(w, s, next, &count) || count == 0) {
        w->next = w->batch;
        return;
    }
    if (!CLAIM_SEES_TIMEOUT && !ended) {
        stuck = step_model(w, s);
    }
    for (unsigned i = count; i-- > 0;) {
        if (inner && CLAIM_PART[next[i]] != CLAIM_PART[CLAIM(s)]) {
            continue; /* SOUND: no way back to the state from there */
        }
        if (UNLIKELY(stuck) && CLAIM_STUTTERS) {
            offer_end(s, next[i]);
        }
        for (const struct pending *p = w->next; p-- != w->batch;) {
            offer_successor(w, p, next[i]);
        }
    }
    w->next = w->batch;
}

#endif
