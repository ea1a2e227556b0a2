/* The stack of the depth-first search.

   Reference: none.
   Differs: the states at the top are taken some at a time, so that the waits for memory overlap; the steps that lead to
   them are kept apart, as nodes with their parents, because there is no single path then.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_STACK_H
#define ISOSPIN_STACK_H

#include "table/lookup.inc.h"

/* Twice the room for an array; NULL if there is no memory, and the search stops. */
static COLD void *twice(void *items, uint64_t used, uint64_t room, size_t size)
{
    void *larger = 2 * room > UINT32_MAX ? NULL : take_memory(2 * room * size);
    if (larger == NULL) {
        stop_because(END_MEMORY);
        return NULL;
    }
    if (used) {
        memcpy(larger, items, used * size);
    }
    return larger;
}

enum { FIRST_ROOM = 4096 };

/* What a strategy counts may depend on the order of the search: then it is the textbook's, the first successor on top.
 */
#ifdef FOLD_KEY
enum { IN_ORDER = 1 };
#else
enum { IN_ORDER = 0 };
#endif

static COLD bool more_frames(struct worker *w)
{
    const uint64_t room = w->room_frames ? w->room_frames : FIRST_ROOM / 2;
    struct frame *frames = twice(w->frames, w->n_frames, room, sizeof *frames);
    word *states = twice(w->frame_states, w->n_frames, room, KEY_WORDS * sizeof(word));
    if (frames == NULL || states == NULL) {
        return false;
    }
    give_memory(w->frames, w->room_frames * sizeof *frames);
    give_memory(w->frame_states, w->room_frames * KEY_WORDS * sizeof(word));
    w->frames = frames;
    w->frame_states = states;
    w->room_frames = 2 * room;
    return true;
}

static COLD bool more_nodes(struct worker *w)
{
    const uint64_t room = w->room_nodes ? w->room_nodes : FIRST_ROOM / 2;
    struct node *nodes = twice(w->nodes, w->n_nodes, room, sizeof *nodes);
    if (nodes == NULL) {
        return false;
    }
    give_memory(w->nodes, w->room_nodes * sizeof *nodes);
    w->nodes = nodes;
    w->room_nodes = 2 * room;
    return true;
}

ALWAYS_INLINE void push_frame(struct worker *w, const word *n, uint32_t order, uint32_t parent)
{
    if (UNLIKELY(w->n_frames == w->room_frames) && !more_frames(w)) {
        return;
    }
    w->frames[w->n_frames] = (struct frame){order, parent};
    COPY_WORDS(w->frame_states + w->n_frames * KEY_WORDS, n, KEY_WORDS);
    w->n_frames++;
}

/* In an order of its own for each seed and each number of states so far. */
static COLD void shuffle(const struct worker *w, uint32_t *which, uint32_t count)
{
    uint64_t random = shared.seed * 0x9e3779b97f4a7c15ULL ^ (w->states + 1) * 0xd1342543de82ef95ULL;
    for (uint32_t i = count; i > 1; i--) {
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        const uint32_t j = (uint32_t)((random * 0x2545f4914f6cdd1dULL >> 32) % i);
        const uint32_t other = which[j];
        which[j] = which[i - 1];
        which[i - 1] = other;
    }
}

/* Successors that are not known yet go on the stack. */
static __attribute__((noinline)) void push_batch(struct worker *w)
{
    uint32_t which[ROOM];
    fold_batch(w);
    look_ahead(w);
    const uint32_t count = not_at_home(w->batch, (uint32_t)(w->next - w->batch), which);
    if (UNLIKELY(shared.seed)) {
        shuffle(w, which, count); /* SOUND: they have one parent, see pop_frames */
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct pending *p = w->batch + which[IN_ORDER ? count - 1 - i : i];
        push_frame(w, p->state, order_of(p), parent_of(p));
    }
    w->next = w->batch;
}

/* Takes some states from the top of the stack, and fetches their lines.
   SOUND: the parents ascend along the stack, so no node after the last parent is on the way to a state on it. */
static void pop_frames(struct worker *w)
{
    const uint32_t most = IN_ORDER || shared.seed ? 1 : BEAM, count = w->n_frames < most ? (uint32_t)w->n_frames : most;
    const uint32_t last_parent = w->frames[w->n_frames - 1].parent;
    const struct table t = shared.table;
    w->n_frames -= count;
    w->n_nodes = last_parent == UINT32_MAX ? 0 : (uint64_t)last_parent + 1;
    w->n_waiting = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct frame f = w->frames[w->n_frames + i];
        struct pending *p = w->waiting + i;
        COPY_WORDS(p->state, w->frame_states + (w->n_frames + i) * KEY_WORDS, KEY_WORDS);
        p->origin = (uint64_t)f.parent << 32 | f.order;
        p->look = look_in(&t, p->state);
        __builtin_prefetch(p->look.line, 0, 3);
    }
}

/* A state of the stack that is new becomes a node. */
ALWAYS_INLINE bool visit_frame(struct worker *w, const struct pending *p)
{
    struct chunk *c;
    if (visit(w, p->state, p->look, &c) != NEW || (UNLIKELY(w->n_nodes == w->room_nodes) && !more_nodes(w))) {
        return false;
    }
    c->used = shared.table.quotient || shared.inexact ? 0 : c->used + 1; /* the table may be enough */
    count_new(w, p->state);
    const uint32_t parent = parent_of(p), depth = parent == UINT32_MAX ? 0 : w->nodes[parent].depth + 1;
    w->nodes[w->n_nodes++] = (struct node){order_of(p), parent, depth};
    w->deepest = depth > w->deepest ? depth : w->deepest;
    return true;
}

#endif
