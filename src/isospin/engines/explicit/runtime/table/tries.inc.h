/* Partial orders: states from which one process moved alone wait once more, for everybody, if that found nothing new.

   Reference: see analysis/ample.py, which says why this is right.
   Differs: whether a successor is new is known some batches later, so the states are noted until then.

   A template (codegen/templates.py), if WANTS_NEW. */
#ifndef ISOSPIN_TRIES_H
#define ISOSPIN_TRIES_H

static COLD void more_tries(struct worker *w)
{
    const uint32_t room = w->room_tries ? 2 * w->room_tries : BATCH;
    uint32_t *tries = take_memory(room * sizeof *tries);
    if (tries == NULL) {
        stop_because(END_MEMORY);
        return;
    }
    if (w->n_tries) {
        memcpy(tries, w->tries, w->n_tries * sizeof *tries);
    }
    give_memory(w->tries, w->room_tries * sizeof *tries);
    w->tries = tries;
    w->room_tries = room;
}

/* One process moves alone from the state that is being expanded. */
ALWAYS_INLINE void note_try(struct worker *w)
{
    if (UNLIKELY(w->n_tries == w->room_tries)) {
        more_tries(w);
    }
    if (LIKELY(w->n_tries < w->room_tries)) { /* else the search stops, and goes on with this state */
        w->tries[w->n_tries++] = w->in_index;
    }
}

/* The state waits once more at the end of the chunk. */
static __attribute__((noinline)) void repeat_state(struct worker *w, uint32_t index)
{
    struct chunk *c = out_chunk(w);
    if (UNLIKELY(c == NULL)) {
        w->lost = index + 1;
        return;
    }
    const word *s = shared.chunks[w->in_chunk]->states + (size_t)index * KEY_WORDS;
    memcpy(c->states + (size_t)c->used * KEY_WORDS, s, KEY_WORDS * sizeof(word));
#if REUSES_CODES
    codes_in(c)[c->used] = code_at(w->in_chunk, shared.chunks[w->in_chunk], index);
#endif
    c->order[c->used] = REPEATED;
    note_parent(w, c, index);
}

/* All successors of the states before this one were looked up.
   SOUND: of a search that stops, the last state may not have all of its successors yet; it is expanded again. */
static void settle_tries(struct worker *w, uint32_t before)
{
    for (; w->first_try < w->n_tries && w->tries[w->first_try] < before; w->first_try++) {
        const uint32_t index = w->tries[w->first_try];
        const bool cut = w->lost || (shared.stop && index == w->in_index);
        if (!cut && kids_of(shared.chunks[w->in_chunk], index) == 0) {
            repeat_state(w, index);
        }
    }
}

#endif
