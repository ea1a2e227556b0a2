/* Runs that violate a claim: the product with the claim's automaton, searched depth first for cycles that accept.

   Reference: Courcoubetis, Vardi, Wolper, Yannakakis, "Memory-efficient algorithms for the verification of temporal
   properties" (1992), for the nested search; Schwoon, Esparza, "A note on on-the-fly verification algorithms" (2005),
   for cycles that either search sees on the stack; Cerna, Pelanek, "Relating hierarchy of temporal properties to model
   checking" (2003), for components of the automaton where one search is enough.
   Differs: the component of the automaton tells what must be searched; states of the second search are states of the
   same table, with a bit set.  Which of them are on the stack is known from lists that are themselves stacks.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_CYCLES_H
#define ISOSPIN_CYCLES_H

#include "liveness/product.inc.h"

/* A state on the way from the initial one to where the search is; those of the second search come last. */
struct place {
    word state[KEY_WORDS];
    uint64_t base;           /* its own offers are above */
    uint32_t order;          /* how one got there; of the first: which initial state */
    uint32_t bucket, before; /* the place before it in the list of the bucket, + 1; bucket NOT_LISTED: in none */
};

enum { FIRST_BUCKETS = 1 << 12 };
#define NOT_LISTED UINT32_MAX

static struct {
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

static COLD bool more_looks(uint64_t wanted)
{
    give_memory(hunt.looks, hunt.room_looks * sizeof *hunt.looks);
    hunt.room_looks = 2 * wanted;
    hunt.looks = take_memory(hunt.room_looks * sizeof *hunt.looks);
    if (hunt.looks == NULL) {
        hunt.room_looks = 0;
        stop_because(END_MEMORY);
    }
    return hunt.looks != NULL;
}

/* ------------------------------------------------------------------------------------------- what was found */

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
    report_run(what, orders, hunt.n_path + (n_cycle != 0), n_cycle);
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

/* ------------------------------------------------------------------------------------------- successors */

/* Is the state in the first line where it may be?  If not, it may be in another one: that is looked up when its turn
 * comes. */
ALWAYS_INLINE bool is_at_home(const struct table *t, struct look l, const word *s)
{
    if (QUOTIENT_POSSIBLE && t->quotient) {
        return in_line(l.line, l.value);
    }
    for (int i = 0; i < LINE && l.line[i]; i++) {
        if (l.line[i] >> PLACE_BITS << PLACE_BITS == l.value && same(stored(l.line[i]), s)) {
            return true;
        }
    }
    return false;
}

/* The successors of the top place go on the stack of offers, except those that were seen. */
static void expand_place(struct worker *w, bool inner)
{
    const uint64_t base = product.n_offers;
    all_offers(w, top_place()->state, inner);
    if (UNLIKELY(product.trouble != NULL)) {
        found(product.trouble, 0, 0);
        return;
    }
    if (UNLIKELY(shared.stop)) { /* the layout turned out to be too small, or the memory */
        return;
    }
    const uint64_t count = product.n_offers - base;
    w->transitions += inner ? 0 : count; /* those of the model and the claim are counted once */
    if (UNLIKELY(count > hunt.room_looks) && !more_looks(count)) {
        return;
    }
    const struct table t = shared.table;
    for (uint64_t i = 0; i < count && !shared.stop; i++) {
        struct offer *o = product.offers + base + i;
        if (inner) {
            if (closes(o->state, o->order, true)) {
                return;
            }
            SET_INNER(o->state, 1);
        }
        hunt.looks[i] = look_in(&t, o->state);
        __builtin_prefetch(hunt.looks[i].line, 0, 3);
    }
    for (uint64_t i = 0; i < count && !t.quotient && !shared.stop; i++) { /* stopped: not all were looked for */
        prefetch_stored(hunt.looks[i].line, hunt.looks[i].value >> PLACE_BITS);
    }
    product.n_offers = base;
    for (uint64_t i = 0; i < count && !shared.stop; i++) {
        const struct offer *o = product.offers + base + i;
        if (!is_at_home(&t, hunt.looks[i], o->state)) {
            product.offers[product.n_offers++] = *o;
        } else if (!inner && closes(o->state, o->order, false)) {
            return;
        }
    }
}

/* ------------------------------------------------------------------------------------------- the searches */

static void enter(struct worker *w, const word *s, uint32_t order, bool inner)
{
    if (hunt.n_path > shared.max_depth) {
        stop_because(END_DEPTH);
        return;
    }
    if (UNLIKELY(!ROOM_IN(hunt.path, hunt.n_path, hunt.room_path))) {
        return;
    }
    if (UNLIKELY(hunt.n_path >= hunt.n_heads) && !more_heads()) {
        return;
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
    if (!inner && hunt.n_path - 1 > w->deepest) {
        w->deepest = shared.depth = (uint32_t)(hunt.n_path - 1);
    }
    expand_place(w, inner);
}

static bool is_new(struct worker *w, const word *s, bool inner)
{
    struct chunk *c;
    if (visit(w, s, look_for(s), &c) != NEW) {
        return false;
    }
    c->used = shared.table.quotient || shared.inexact ? 0 : c->used + 1; /* the table may be enough */
    count_new(w, s);
    w->states -= inner;
    return true;
}

static void pause_sometimes(struct worker *w)
{
    static uint32_t steps;
    if (UNLIKELY(shared.pause)) {
        pause_here(w);
    }
    if (UNLIKELY((++steps & 255) == 0)) {
        shared.queue = hunt.n_path;
        check_limits(w);
    }
}

/* From a state that accepts, when all that it reaches has been seen: is there a way back? */
static __attribute__((noinline)) void second_search(struct worker *w)
{
    const uint64_t seed = hunt.n_path - 1;
    expand_place(w, true);
    while (!shared.stop) {
        if (product.n_offers > top_place()->base) {
            const struct offer o = product.offers[--product.n_offers];
            if (is_new(w, o.state, true)) {
                enter(w, o.state, (uint32_t)o.order, true);
            }
            pause_sometimes(w);
        } else if (hunt.n_path - 1 == seed) {
            return;
        } else {
            hunt.n_path--;
        }
    }
}

static void leave_place(struct worker *w)
{
    const struct place *p = top_place();
    if (CLAIM_CYCLES[CLAIM(p->state)] == SOME_CYCLES && claim_accepts(p->state)) {
        second_search(w);
        p = top_place();
    }
    if (!shared.stop && p->bucket != NOT_LISTED) {
        hunt.heads[p->bucket] = p->before;
    }
    hunt.n_path -= !shared.stop;
}

static void first_search(struct worker *w)
{
    while (hunt.n_path && !shared.stop) {
        if (product.n_offers == top_place()->base) {
            leave_place(w);
            continue;
        }
        const struct offer o = product.offers[--product.n_offers];
        if (is_new(w, o.state, false)) {
            enter(w, o.state, (uint32_t)o.order, false);
        } else {
            closes(o.state, o.order, false);
        }
        pause_sometimes(w);
    }
}

static void cycles(struct worker *w)
{
    for (uint64_t i = 0; i < shared.model->n_initial && !shared.stop; i++) {
        const word *s = initial_state(i);
        if (is_new(w, s, false)) {
            enter(w, s, (uint32_t)i, false);
            first_search(w);
        }
    }
    shared.queue = 0;
}

#endif
