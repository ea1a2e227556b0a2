/* States of the model from which one process moves alone, whatever the claim does.

   Reference: see analysis/ample.py, which says why this is right.
   Differs: they are kept beside the states of the product, each once.  Where everybody moves is not kept: who would
   move alone there leads to a state that is kept, and what is kept stays.

   A template (codegen/templates.py), if WANTS_NEW. */
#ifndef ISOSPIN_SETTLE_H
#define ISOSPIN_SETTLE_H

struct settled {
    word state[KEY_WORDS];
};

static struct {
    struct settled *states;
    struct finder finder;
    uint64_t n_states, room;
} settled;

/* Without what the claim and the search remember. */
ALWAYS_INLINE struct settled part_of_model(const word *s)
{
    struct settled part;
    COPY_WORDS(part.state, s, KEY_WORDS);
    SET_CLAIM(part.state, 0);
    SET_ENDED(part.state, 0);
    SET_INNER(part.state, 0);
    return part;
}

ALWAYS_INLINE uint64_t settled_slot(const struct settled *s)
{
    return slot_for(&settled.finder, settled.states, sizeof *s, s->state);
}

static void keep_settled(const struct settled *s)
{
    if (ROOM_IN(settled.states, settled.n_states, settled.room)) {
        settled.states[settled.n_states++] = *s;
        settled.finder.numbers[settled_slot(s)] = (uint32_t)settled.n_states;
    }
}

/* One process moved alone from the state, and the successors are in the batch.  Is that enough?
   SOUND: no cycle consists of states where it is; the one that was settled last would lead to one that is kept. */
static bool settle(const struct worker *w, const word *s)
{
    const struct settled here = part_of_model(s);
    if (UNLIKELY(!room_to_find(&settled.finder, settled.states, sizeof here, settled.n_states))) {
        return false;
    }
    if (settled.finder.numbers[settled_slot(&here)]) {
        return true;
    }
    for (const struct pending *p = w->batch; p != w->next; p++) {
        const struct settled there = part_of_model(p->state);
        if (same(there.state, here.state) || settled.finder.numbers[settled_slot(&there)]) {
            return false;
        }
    }
    keep_settled(&here);
    return true;
}

#endif
