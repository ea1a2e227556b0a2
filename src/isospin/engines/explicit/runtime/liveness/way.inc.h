/* The way from the initial state to where a search for cycles is: its stack, and which states are on it.

   Reference: Schwoon, Esparza, "A note on on-the-fly verification algorithms" (2005), for cycles that either search
   sees on the stack. Differs: which states are on the stack is known from lists that are themselves stacks.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_WAY_H
#define ISOSPIN_WAY_H

#include "liveness/product.inc.h"

/* A state on the way from the initial one to where the search is; those of the second search come last. */
struct place {
    word state[KEY_WORDS];
    uint64_t base;           /* its own offers are above */
    uint32_t order;          /* how one got there; of the first: which initial state */
    uint32_t bucket, before; /* the place before it in the list of the bucket, + 1; bucket NOT_LISTED: in none */
#if SEVERAL
    uint64_t floor; /* what `base` was before offers were given away */
    uint64_t transitions;
#endif
};

enum { FIRST_BUCKETS = 1 << 12 };
#define NOT_LISTED UINT32_MAX

OWN struct {
    struct look *looks; /* of the newest offers */
    struct place *path;
    uint32_t *heads; /* the newest place of each bucket, + 1 */
    uint64_t room_looks, n_path, room_path, n_heads;
} hunt;

ALWAYS_INLINE struct place *top_place(void) { return hunt.path + hunt.n_path - 1; }

/* ------------------------------------------------------------------------------------------- what is on the stack */

/* Only where a cycle may accept. */
ALWAYS_INLINE bool is_listed(const word *s) { return CLAIM_CYCLES[CLAIM(s)] != NO_CYCLE; }

/* SOUND: what leaves the stack first came last, so it is the head of its list. */
ALWAYS_INLINE void list_place(uint64_t i)
{
    struct place *p = hunt.path + i;
    p->bucket = NOT_LISTED;
    if (is_listed(p->state)) {
        p->bucket = (uint32_t)(wide_hash(p->state) & (hunt.n_heads - 1));
        p->before = hunt.heads[p->bucket];
        hunt.heads[p->bucket] = (uint32_t)i + 1;
    }
}

/* Where a state is on the stack of the first search, + 1; 0 if it is not. */
ALWAYS_INLINE uint64_t on_stack(const word *s)
{
    uint32_t at = hunt.heads[wide_hash(s) & (hunt.n_heads - 1)];
    while (at && !same(hunt.path[at - 1].state, s)) {
        at = hunt.path[at - 1].before;
    }
    return at;
}

static COLD bool more_heads(void)
{
    const uint64_t wanted = hunt.n_heads ? 4 * hunt.n_heads : FIRST_BUCKETS;
    uint32_t *heads = take_memory(wanted * sizeof *heads);
    if (heads == NULL) {
        stop_because(END_MEMORY);
        return false;
    }
    give_memory(hunt.heads, hunt.n_heads * sizeof *heads);
    hunt.heads = heads;
    hunt.n_heads = wanted;
    for (uint64_t i = 0; i < hunt.n_path; i++) {
        if (hunt.path[i].bucket != NOT_LISTED) {
            list_place(i);
        }
    }
    return true;
}

/* A state comes upon the stack; false: there is no room for it, and the search stops. */
ALWAYS_INLINE bool push_place(const word *s, uint32_t order, bool inner)
{
    if (hunt.n_path > shared.max_depth) {
        stop_because(END_DEPTH);
        return false;
    }
    if (UNLIKELY(!ROOM_IN(hunt.path, hunt.n_path, hunt.room_path))) {
        return false;
    }
    if (UNLIKELY(hunt.n_path >= hunt.n_heads) && !more_heads()) {
        return false;
    }
    struct place *p = hunt.path + hunt.n_path;
    COPY_WORDS(p->state, s, KEY_WORDS);
    p->base = product.n_offers;
    p->order = order;
    p->bucket = NOT_LISTED;
    if (!inner) {
        list_place(hunt.n_path);
    }
    hunt.n_path++;
    return true;
}

/* What is on top of it leaves it. */
ALWAYS_INLINE void pop_place(void)
{
    const struct place *p = top_place();
    if (p->bucket != NOT_LISTED) {
        hunt.heads[p->bucket] = p->before;
    }
    hunt.n_path--;
}

/* ------------------------------------------------------------------------------------------- what was found */

static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
static bool told;

/* The way to the top of the stack, perhaps one step more to the place where a cycle starts. */
static COLD void found(const char *what, uint64_t n_cycle, uint32_t last)
{
    uint32_t *orders = take_memory((hunt.n_path + 1) * sizeof *orders);
    if (orders == NULL) {
        stop_because(END_MEMORY);
        return;
    }
    for (uint64_t i = 0; i < hunt.n_path; i++) {
        orders[i] = hunt.path[i].order;
    }
    orders[hunt.n_path] = last;
    pthread_mutex_lock(&telling);
    if (!told) { /* by another thread, a moment ago */
        told = true;
        report_run(what, orders, hunt.n_path + (n_cycle != 0), n_cycle);
    }
    pthread_mutex_unlock(&telling);
    give_memory(orders, (hunt.n_path + 1) * sizeof *orders);
}

/* A step leads back to a state on the stack: is that a cycle that accepts?  SOUND: both are in one component of the
   claim. In the second search the way leads through its seed, which accepts. */
ALWAYS_INLINE bool closes(const word *to, uint64_t order, bool inner)
{
    const word *from = top_place()->state;
    const unsigned kind = CLAIM_CYCLES[CLAIM(to)];
    if (kind == NO_CYCLE || CLAIM_PART[CLAIM(from)] != CLAIM_PART[CLAIM(to)]) {
        return false;
    }
    if (kind == SOME_CYCLES && !inner && !claim_accepts(from) && !claim_accepts(to)) {
        return false;
    }
    const uint64_t at = on_stack(to);
    if (LIKELY(!at)) {
        return false;
    }
    found(RUN_CYCLE, at, (uint32_t)order);
    return true;
}

#endif
