/* The same as cycles.inc.h by several threads: each searches depth first for itself, and they share what is finished.

   Reference: Evangelista, Laarman, Petrucci, van de Pol, "Improved multi-core nested depth-first search" (ATVA 2012).
   Differs: the component of the automaton tells what must be searched, as in cycles.inc.h.  Where no cycle accepts, all
   that matters is what can be reached: a state is stored when it is found, so that each is searched by one thread, and
   who has nothing to do gets from others what they would do last, with the way there.  Where all cycles accept, a state
   on the thread's own stack is enough.

   Elsewhere a state is stored when a thread has left it ("blue" in the paper), and with a bit set when no cycle leads
   through a state that accepts and is reached from it ("red").  Threads do not wait for states on the stacks of others
   ("cyan"): they search there, too, in another order.

   SOUND: where all cycles accept.  Of the states of a cycle, look at the one that is stored first, by some thread: its
   successor on the cycle was not stored, and not left by that thread either, so it was on its stack, and that is seen.

   SOUND: where some cycles accept.  Say that a thread closes the states of a second search when it begins to store
   them with the bit.  Of all that were closed with a state on a cycle that accepts, look at the set that was closed
   first.  Whoever closed it has waited until all states in it that accept were closed by others, but for its seed: so
   the state is the seed.  The search from the seed did not come back to it, so it left out some state of the cycle as
   closed before, and with that state all that follows it was closed before or with it, the seed too: a contradiction.

   Nobody waits for ever: who waits for a state reaches it without a state of its own stack, so it is on the way of
   another thread, which waits in turn, and so on; the last of them would wait for one that reaches the first.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_TOGETHER_H
#define ISOSPIN_TOGETHER_H

#include <time.h>

#include "liveness/way.inc.h"

enum { SPINS = 100, NAP = 20000 /* nanoseconds */ };

struct red {
    word state[KEY_WORDS];
};

/* The states of this thread's second search; the first is its seed. */
OWN struct {
    struct red *states;
    struct finder finder;
    uint64_t n_states, room;
} red;

OWN uint64_t chance;

/* What a thread gives to one that has nothing to do. */
struct gift {
    word state[KEY_WORDS];
    uint32_t *orders; /* the way there: of the initial state first, of the state itself last */
    uint64_t count;
};

enum { GIFTS = 16, SCANNED = 256 };

static struct {
    pthread_mutex_t lock;
    struct gift gifts[GIFTS];
    int length, hungry; /* gifts; threads that have nothing to do, or are done */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

OWN uint64_t lowest; /* below this place nothing can be given away */
OWN uint64_t given;  /* places of the way to what was given to this thread */

ALWAYS_INLINE bool is_free(const word *s) { return CLAIM_CYCLES[CLAIM(s)] == NO_CYCLE; }

/* ------------------------------------------------------------------------------------------- what is stored */

/* SOUND: what is not seen because it is being stored right now counts as not stored. */
ALWAYS_INLINE bool is_stored(const word *s)
{
    const struct look l = look_for(s);
    if (QUOTIENT_POSSIBLE && shared.table.quotient) {
        return UNLIKELY(l.value == NOT_QUICK) ? side_has(KEY_OF(s)) : has_quotient(&shared.table, l);
    }
    return has_place(&shared.table, l, s);
}

ALWAYS_INLINE struct red with_bit(const word *s)
{
    struct red r;
    COPY_WORDS(r.state, s, KEY_WORDS);
    SET_INNER(r.state, 1);
    return r;
}

ALWAYS_INLINE bool is_closed(const word *s)
{
    const struct red r = with_bit(s);
    return is_stored(r.state);
}

/* Returns true if this thread stored it. */
static bool store(struct worker *w, const word *s, bool bit)
{
    struct chunk *c;
    if (visit(w, s, look_for(s), &c) != NEW) {
        return false;
    }
    c->used = shared.table.quotient ? 0 : c->used + 1;
    count_new(w, s);
    POST(w->states, w->states - bit);
    return true;
}

static void give(void);

static void pause_sometimes(struct worker *w)
{
    OWN uint32_t steps;
    if (UNLIKELY(PEEK(pool.hungry) > PEEK(pool.length))) {
        give();
    }
    if (UNLIKELY(shared.pause)) {
        pause_here(w);
    }
    if (UNLIKELY((++steps & 255) == 0)) {
        if (w->number == 0) {
            POST(shared.queue, hunt.n_path);
        }
        check_limits(w);
    }
}

/* ------------------------------------------------------------------------------------------- successors */

/* The threads go different ways; the first one goes that of a single thread. */
static void mingle(const struct worker *w, uint64_t base)
{
    for (uint64_t i = product.n_offers; w->number && i > base + 1; i--) {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        const uint64_t j = base + chance % (i - base);
        const struct offer o = product.offers[i - 1];
        product.offers[i - 1] = product.offers[j];
        product.offers[j] = o;
    }
}

static void expand_place(struct worker *w, bool inner)
{
    const uint64_t base = product.n_offers;
    all_offers(w, top_place()->state, inner);
    if (UNLIKELY(product.trouble != NULL)) {
        found(product.trouble, 0, 0);
        return;
    }
    if (is_free(top_place()->state)) {
        POST(w->transitions, w->transitions + (product.n_offers - base));
    }
    top_place()->transitions = product.n_offers - base;
    for (uint64_t i = base; i < product.n_offers && !shared.stop; i++) {
        const struct offer *o = product.offers + i;
        if (inner && closes(o->state, o->order, true)) {
            return;
        }
        __builtin_prefetch(look_for(o->state).line, 0, 3);
    }
    mingle(w, base);
}

static void enter(struct worker *w, const word *s, uint32_t order, bool inner)
{
    if (!push_place(s, order, inner)) {
        return;
    }
    top_place()->floor = top_place()->base;
    if (!inner && hunt.n_path - 1 > PEEK(shared.depth)) {
        POST(shared.depth, (uint32_t)(hunt.n_path - 1));
    }
    expand_place(w, inner);
}

/* ------------------------------------------------------------------------------------------- the second search */

static void forget_red(void)
{
    red.n_states = 0;
    if (red.finder.size == FIRST_TO_FIND) {
        memset(red.finder.numbers, 0, red.finder.size * sizeof *red.finder.numbers);
    } else { /* most are small: only a small one is kept, and cleared each time */
        give_memory(red.finder.numbers, red.finder.size * sizeof *red.finder.numbers);
        red.finder = (struct finder){0};
    }
}

/* Adds a state; false if it is there, or there is no memory. */
static bool is_new_red(const word *s)
{
    if (UNLIKELY(!room_to_find(&red.finder, red.states, sizeof *red.states, red.n_states))) {
        return false;
    }
    const uint64_t at = slot_for(&red.finder, red.states, sizeof *red.states, s);
    if (red.finder.numbers[at] || !ROOM_IN(red.states, red.n_states, red.room)) {
        return false;
    }
    COPY_WORDS(red.states[red.n_states].state, s, KEY_WORDS);
    red.finder.numbers[at] = (uint32_t)++red.n_states;
    return true;
}

static void wait_until_closed(struct worker *w, const word *s)
{
    for (uint32_t looks = 0; !shared.stop && !is_closed(s); looks++) {
        pause_sometimes(w);
        if (looks > SPINS) {
            nanosleep(&(struct timespec){0, NAP}, NULL);
        }
    }
}

/* SOUND: no state is closed before all others that accept are. */
static void close_red(struct worker *w)
{
    for (uint64_t i = 1; i < red.n_states && !shared.stop; i++) {
        if (claim_accepts(red.states[i].state)) {
            wait_until_closed(w, red.states[i].state);
        }
    }
    for (uint64_t i = 0; i < red.n_states && !shared.stop; i++) {
        const struct red r = with_bit(red.states[i].state);
        (void)store(w, r.state, true);
        pause_sometimes(w);
    }
}

/* From a state that accepts, when all that it reaches has been left: is there a way back? */
static __attribute__((noinline)) void second_search(struct worker *w)
{
    const uint64_t seed = hunt.n_path - 1;
#ifdef ISOSPIN_LATE_SEED
    static bool late; /* for the test that proves that threads wait for each other */
    if (!__atomic_exchange_n(&late, true, __ATOMIC_RELAXED)) {
        nanosleep(&(struct timespec){0, 300000000}, NULL);
    }
#endif
    (void)is_new_red(top_place()->state);
    expand_place(w, true);
    while (!shared.stop && (product.n_offers > top_place()->base || hunt.n_path - 1 != seed)) {
        if (product.n_offers == top_place()->base) {
            hunt.n_path--;
            continue;
        }
        const struct offer o = product.offers[--product.n_offers];
        if (!is_closed(o.state) && is_new_red(o.state)) {
            enter(w, o.state, (uint32_t)o.order, true);
        }
        pause_sometimes(w);
    }
    close_red(w);
    forget_red();
}

/* ------------------------------------------------------------------------------------------- the first search */

static void leave_place(struct worker *w)
{
    const struct place *p = top_place();
    if (!is_free(p->state) && store(w, p->state, false)) {
        POST(w->transitions, w->transitions + p->transitions);
    }
    if (CLAIM_CYCLES[CLAIM(p->state)] == SOME_CYCLES && claim_accepts(p->state) && !is_closed(p->state)) {
        second_search(w);
    }
    product.n_offers = top_place()->floor;
    if (!shared.stop) {
        pop_place();
    }
    lowest = lowest < hunt.n_path ? lowest : hunt.n_path ? hunt.n_path - 1 : 0;
}

/* Is it for this thread to search from the state? */
static bool is_mine(struct worker *w, const word *s) { return is_free(s) ? store(w, s, false) : !is_stored(s); }

static void first_search(struct worker *w)
{
    while (hunt.n_path > given && !shared.stop) {
        if (product.n_offers == top_place()->base) {
            leave_place(w);
        } else {
            const struct offer o = product.offers[--product.n_offers];
            if (is_listed(o.state) && on_stack(o.state)) {
                (void)closes(o.state, o.order, false);
            } else if (is_mine(w, o.state)) {
                enter(w, o.state, (uint32_t)o.order, false);
            }
        }
        pause_sometimes(w);
    }
}

/* ------------------------------------------------------------------------------------------- sharing the work */

/* An offer of a place, with the way to it; NULL if there is no memory, which is no reason to stop. */
static uint32_t *way_to(uint64_t place, uint32_t order)
{
    uint32_t *orders = take_memory((place + 2) * sizeof *orders);
    for (uint64_t i = 0; orders && i <= place; i++) {
        orders[i] = hunt.path[i].order;
    }
    if (orders) {
        orders[place + 1] = order;
    }
    return orders;
}

/* Puts the offer that would be the last one of a place into the pool.  SOUND: it is in the pool or on a stack. */
static void give_from(uint64_t place)
{
    struct place *p = hunt.path + place;
    const struct offer *o = product.offers + p->base;
    struct gift g = {.orders = way_to(place, (uint32_t)o->order), .count = place + 2};
    if (g.orders == NULL) {
        return;
    }
    COPY_WORDS(g.state, o->state, KEY_WORDS);
    pthread_mutex_lock(&pool.lock);
    const bool wanted = pool.length < GIFTS && pool.length < pool.hungry;
    if (wanted) {
        pool.gifts[pool.length] = g;
        POST(pool.length, pool.length + 1);
    }
    pthread_mutex_unlock(&pool.lock);
    if (wanted) {
        p->base++;
    } else {
        give_memory(g.orders, g.count * sizeof *g.orders);
    }
}

/* From the lowest place that has more to do: what follows there is more than elsewhere, and the way is short.  SOUND:
   only where no cycle accepts, so nobody has to know what is on the stack. */
static COLD void give(void)
{
    for (unsigned scanned = 0; scanned < SCANNED && lowest + 1 < hunt.n_path; scanned++, lowest++) {
        struct place *p = hunt.path + lowest;
        while (lowest >= given && is_free(p->state) && p->base < p[1].floor) {
            if (!is_stored(product.offers[p->base].state)) {
                give_from(lowest);
                return;
            }
            p->base++;
        }
    }
}

static bool take_gift(struct gift *g)
{
    const bool some = pool.length > 0;
    if (some) {
        *g = pool.gifts[0];
        memmove(pool.gifts, pool.gifts + 1, (size_t)(pool.length - 1) * sizeof *g);
        POST(pool.length, pool.length - 1);
        POST(pool.hungry, pool.hungry - 1);
    }
    return some;
}

/* Waits for something to do; false if nobody has anything to give any more.  SOUND: who is not hungry may still give.
 */
static bool receive(struct worker *w, struct gift *g)
{
    pthread_mutex_lock(&pool.lock);
    POST(pool.hungry, pool.hungry + 1);
    while (!shared.stop && !take_gift(g)) {
        const bool over = pool.hungry >= PEEK(shared.threads);
        pthread_mutex_unlock(&pool.lock);
        if (over) {
            return false;
        }
        if (shared.pause) {
            pause_here(w);
        }
        check_limits(w);
        nanosleep(&(struct timespec){0, NAP}, NULL);
        pthread_mutex_lock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
    return !shared.stop;
}

static void search_gift(struct worker *w, struct gift *g)
{
    hunt.n_path = 0;
    for (uint64_t i = 0; i + 1 < g->count && ROOM_IN(hunt.path, hunt.n_path, hunt.room_path); i++) {
        hunt.path[hunt.n_path++] = (struct place){.order = g->orders[i], .bucket = NOT_LISTED};
    }
    given = hunt.n_path;
    if (!shared.stop && is_mine(w, g->state)) {
        enter(w, g->state, g->orders[g->count - 1], false);
        first_search(w);
    }
    give_memory(g->orders, g->count * sizeof *g->orders);
}

static void cycles(struct worker *w)
{
    chance = MIX1 * (uint64_t)(w->number + 1);
    for (uint64_t i = 0; i < shared.model->n_initial && !shared.stop; i++) {
        const word *s = initial_state(i);
        if (is_mine(w, s)) {
            enter(w, s, (uint32_t)i, false);
            first_search(w);
        }
    }
    for (struct gift g; receive(w, &g);) {
        search_gift(w, &g);
    }
}

#endif
