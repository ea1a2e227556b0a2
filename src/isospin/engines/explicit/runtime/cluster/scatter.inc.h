/* Successors go to the rank that owns them; what comes from other ranks is looked up.

   Reference: Stern and Dill, "Parallelizing the Murphi verifier" (1997): a hash of the state names its owner.
   Differs: states are folded before, so ranks share orbits, not states; the log of parents costs two bytes as in one
   process, because what comes from one rank comes in the order of its parents.

   A template (codegen/templates.py), if CLUSTER. */
#ifndef ISOSPIN_SCATTER_H
#define ISOSPIN_SCATTER_H

enum { RECORD = KEY_WORDS + 1, RECENT_BITS = 12 }; /* words of a message for each state; see was_sent */

ALWAYS_INLINE uint64_t owner_hash(const word *state) { return wide_hash(KEY_OF(state)) * MIX2; }

/* SOUND: a function of the key alone, the same on every rank, whatever its table looks like. */
ALWAYS_INLINE uint32_t owner_by(uint64_t hash) { return (uint32_t)((hash >> 32) * cluster.size >> 32); }

ALWAYS_INLINE uint32_t owner_of(const word *state) { return owner_by(owner_hash(state)); }

/* Was the state sent a moment ago?  Neighbours have the same successors.  SOUND: what was sent is looked up by its
   owner before the level ends, and all of the state is compared.  */
ALWAYS_INLINE bool was_sent(const word *state, uint64_t hash)
{
    static word recent[1 << RECENT_BITS][KEY_WORDS];
    static bool used[1 << RECENT_BITS];
    const uint64_t at = hash & ((1 << RECENT_BITS) - 1);
    const bool there = used[at] & same(recent[at], state);
    COPY_WORDS(recent[at], state, KEY_WORDS);
    used[at] = true;
    return there;
}

/* A new state is at the end of the chunk: note which successor it is, and of whom. */
ALWAYS_INLINE void note_origin(struct worker *w, struct chunk *c, uint64_t origin)
{
    const uint64_t place = origin >> ORDER_BITS, step = place - w->last_place;
    const uint32_t order = (uint32_t)origin & ((1U << ORDER_BITS) - 1);
    if (LIKELY(order < REPEATED)) {
        c->order[c->used] = (uint8_t)order;
    } else {
        note_order(c, c->used, order);
    }
    if (UNLIKELY(w->last_in != w->source || step >= SMALL)) {
        note_source(c, w->source, place);
        w->last_in = w->source;
    } else {
        c->kids[c->used] = (uint8_t)step;
    }
    w->last_place = place;
    c->used++;
}

ALWAYS_INLINE void send_state(struct worker *w, const word *state, uint64_t origin, uint32_t to)
{
    struct outgoing *out = cluster.out + to;
    *out->next = origin;
    COPY_WORDS(out->next + 1, state, KEY_WORDS);
    out->next += RECORD;
    if (UNLIKELY(out->next + RECORD > out->full)) {
        cluster_send(w, to);
    }
}

/* A state that was stored before. */
void send_saved(struct worker *w, const word *state, uint64_t origin) { send_state(w, state, origin, owner_of(state)); }

/* All successors that were collected are folded, and go on to their owners. */
static __attribute__((noinline)) void turn(struct worker *w)
{
    fold_batch(w);
    const uint64_t first = (uint64_t)w->in_chunk * CHUNK - cluster.base;
    for (const struct pending *p = w->batch; p != w->next; p++) {
        const uint32_t order = (uint32_t)p->origin;
        if (UNLIKELY(order >> ORDER_BITS)) {
            stop_because("a state has more than 16 million successors");
            break;
        }
        const uint64_t hash = owner_hash(p->state);
        if (!was_sent(p->state, hash)) {
            send_state(w, p->state, (first + (p->origin >> 32)) << ORDER_BITS | order, owner_by(hash));
        }
    }
    w->next = w->batch;
}

/* States from another rank, or from this one. */
void take_in(struct worker *w, const word *records, uint32_t count, uint32_t source)
{
    w->source = cluster.loading ? cluster.loading : source;
    while (count) {
        const uint32_t n = count < ROOM ? count : ROOM;
        const struct table t = shared.table;
        for (uint32_t i = 0; i < n; i++, records += RECORD) {
            struct pending *p = w->waiting + i;
            p->origin = records[0];
            COPY_WORDS(p->state, records + 1, KEY_WORDS);
            fetch(&t, p);
        }
        w->n_waiting = n;
        resolve_waiting(w);
        w->n_waiting = 0;
        if (UNLIKELY(shared.pause)) {
            pause_here(w);
        }
        count -= n;
    }
}

#endif
