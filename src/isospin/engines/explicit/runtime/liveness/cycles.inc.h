/* Runs that violate a claim: the product with the claim's automaton, searched depth first for cycles that accept.

   Reference: Courcoubetis, Vardi, Wolper, Yannakakis, "Memory-efficient algorithms for the verification of temporal
   properties" (1992), for the nested search; Cerna, Pelanek, "Relating hierarchy of temporal properties to model
   checking" (2003), for components of the automaton where one search is enough.
   Differs: the component of the automaton tells what must be searched; states of the second search are states of the
   same table, with a bit set.  Which of them are on the stack is known from lists that are themselves stacks.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_CYCLES_H
#define ISOSPIN_CYCLES_H

#include "liveness/way.inc.h"

/* ------------------------------------------------------------------------------------------- successors */

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
    if (!push_place(s, order, inner)) {
        return;
    }
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
    }
    if (!shared.stop) {
        pop_place();
    }
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
