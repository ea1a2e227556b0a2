/* The inner loops of the searches: expanding a state, atomic sequences, looking successors up.

   Reference: Holzmann, "The Spin Model Checker" (2003), for what a transition and a stored state are.
   Differs: breadth-first by default; lookups wait in a ring while the memory that they need is fetched.

   Included by the generated model after its step functions.  The model defines KEY_WORDS, KEY_BITS, STATE_WORDS, CHUNK,
   USES_TIMEOUT, and the functions all_steps, process_steps, stuck_site. */
#ifndef ISOSPIN_SEARCH_H
#define ISOSPIN_SEARCH_H

#include <string.h>

#include "table.h"

static int all_steps(struct worker *w, const word *s);
static int process_steps(struct worker *w, const word *s, unsigned pid);
static uint32_t stuck_site(const word *s);

/* Word by word while that is short: words stay in registers then, where vectors would go through memory. */
#define COPY_WORDS(to, from, count) \
    do { \
        if ((count) <= 4) { \
            for (int i_ = 0; i_ < (count); i_++) (to)[i_] = (from)[i_]; \
        } else { \
            memcpy(to, from, (count) * sizeof(word)); \
        } \
    } while (0)

ALWAYS_INLINE void copy_state(word *to, const word *from) { COPY_WORDS(to, from, STATE_WORDS); }

/* ------------------------------------------------------------------------------------------- results of lookups */

static COLD bool begin_chunk(struct worker *w) {
    if (w->has_out && w->filling == NULL) { /* a search that continues */
        w->filling = shared.chunks[w->out];
        if (w->filling->used < CHUNK) {
            return true;
        }
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
ALWAYS_INLINE struct chunk *out_chunk(struct worker *w) {
    if (UNLIKELY(w->filling == NULL || w->filling->used == CHUNK)) {
        if (!begin_chunk(w)) {
            return NULL;
        }
    }
    return w->filling;
}

ALWAYS_INLINE void count_new(struct worker *w, const word *s) {
    w->states++;
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

ALWAYS_INLINE struct pending *ring_at(struct worker *w, uint32_t i) { return (struct pending *)w->ring + i % RING; }

/* The table may change here, and with it what the keys of the states that wait mean. */
static COLD void pause_here(struct worker *w) {
    safe_point(w);
    for (uint32_t i = w->ring_tail; i != w->ring_looked; i++) {
        struct pending *p = ring_at(w, i);
        p->look = look_for(p->state);
    }
}

static COLD void grow_now(struct worker *w) {
    shared.pause = true;
    pause_here(w);
}

/* Looks a state up and inserts it; NEW if it was not there.  FULL only when the search has to stop. */
ALWAYS_INLINE enum verdict visit(struct worker *w, const word *s, struct look look, struct chunk **where) {
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
                v = (enum verdict)side_insert(KEY_OF(s));
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

/* A new state is in the table and at the end of the chunk: note whose successor it is. */
ALWAYS_INLINE void add_state(struct worker *w, const struct pending *p, struct chunk *c) {
    struct chunk *in = shared.chunks[w->in_chunk];
    if (UNLIKELY(w->last_in != w->in_chunk)) {
        note_segment(c, w->in_chunk, p->parent, kids_of(in, p->parent));
        w->last_in = w->in_chunk;
    }
    if (LIKELY(p->order < SMALL)) {
        c->order[c->used] = (uint8_t)p->order;
    } else {
        note_order(c, c->used, p->order);
    }
    if (LIKELY(in->kids[p->parent] < SMALL - 1)) {
        in->kids[p->parent]++;
    } else {
        note_kid(in, p->parent);
    }
    c->used++;
    count_new(w, p->state);
}

static __attribute__((noinline)) void resolve_slowly(struct worker *w, const struct pending *p) {
    struct chunk *c;
    enum verdict v = UNLIKELY(w->lost) ? FULL : visit(w, p->state, p->look, &c);
    if (v == NEW) {
        add_state(w, p, c);
    } else if (UNLIKELY(v == FULL) && (!w->lost || p->parent < w->lost)) {
        w->lost = p->parent + 1;
    }
}

/* Most successors were seen before, and are in the first line; most new ones find room in it. */
ALWAYS_INLINE void resolve(struct worker *w) {
    const struct pending *p = ring_at(w, w->ring_tail);
    if (!(QUOTIENT_POSSIBLE && in_line(p->look.line, p->look.value))) {
        unsigned used = QUOTIENT_POSSIBLE && w->alone && shared.table.quotient ? used_in_line(p->look.line) : LINE;
        struct chunk *c = w->filling;
        if (LIKELY(used < LINE && p->look.value != NOT_QUICK && c != NULL && c->used < CHUNK && !w->lost)) {
            p->look.line[used] = p->look.value;
            COPY_WORDS(c->states + (size_t)c->used * KEY_WORDS, p->state, KEY_WORDS);
            add_state(w, p, c);
        } else {
            resolve_slowly(w, p);
        }
    }
    w->ring_tail++;
}

/* If the line is full, the state is perhaps in the one beside it.  Without a branch, which nobody could predict. */
ALWAYS_INLINE void fetch_next_line(const word *line) {
    const uintptr_t full = __atomic_load_n(line + LINE - 1, __ATOMIC_RELAXED) != 0;
    __builtin_prefetch((const void *)((uintptr_t)line ^ full * LINE * sizeof(word)), 0, 3);
}

#ifdef FOLDS
/* The new states in the ring become their representatives. */
ALWAYS_INLINE void fold_ring(struct worker *w) {
    word *states[RING];
    unsigned n = 0;
    for (uint32_t i = w->ring_looked; i != w->ring_head; i++) {
        states[n++] = ring_at(w, i)->state;
    }
    fold_many(states, n);
#ifdef ISOSPIN_FOLD_TWICE
    fold_many(states, n); /* for the benchmark: what is more is the cost of folding */
#endif
}
#endif

/* Gives the new states in the ring their keys, and fetches what will be looked at. */
ALWAYS_INLINE void look_ahead(struct worker *w) {
#ifdef FOLDS
    fold_ring(w);
#endif
    for (; w->ring_looked != w->ring_head; w->ring_looked++) {
        struct pending *p = ring_at(w, w->ring_looked);
        p->look = look_for(p->state);
        __builtin_prefetch(p->look.line, 0, 3);
        if (!QUOTIENT_POSSIBLE || UNLIKELY(!shared.table.quotient)) {
            if (w->ring_looked - w->ring_tail >= AHEAD / 2) {
                const struct pending *q = ring_at(w, w->ring_looked - AHEAD / 2);
                prefetch_stored(q->look.line, q->look.value >> PLACE_BITS);
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------- depth first */

static COLD void more_frames(struct worker *w) {
    uint64_t room = w->room_frames ? 2 * w->room_frames : 4096;
    struct frame *frames = take_memory(room * sizeof *frames);
    word *states = take_memory(room * KEY_WORDS * sizeof(word));
    if (frames == NULL || states == NULL) {
        stop_because("memory");
        return;
    }
    if (w->n_frames) {
        memcpy(frames, w->frames, w->n_frames * sizeof *frames);
        memcpy(states, w->frame_states, w->n_frames * KEY_WORDS * sizeof(word));
    }
    give_memory(w->frames, w->room_frames * sizeof *frames);
    give_memory(w->frame_states, w->room_frames * KEY_WORDS * sizeof(word));
    w->frames = frames;
    w->frame_states = states;
    w->room_frames = room;
}

ALWAYS_INLINE void push_frame(struct worker *w, const word *n, uint32_t order, uint32_t depth) {
    if (UNLIKELY(w->n_frames == w->room_frames)) {
        more_frames(w);
        if (shared.stop) {
            return;
        }
    }
    w->frames[w->n_frames] = (struct frame){order, depth & INT32_MAX, 0};
    memcpy(w->frame_states + w->n_frames * KEY_WORDS, n, KEY_WORDS * sizeof(word));
    w->n_frames++;
}

/* ------------------------------------------------------------------------------------------- what was generated */

/* Takes successors out of the ring until at most `rest` are in it. */
ALWAYS_INLINE void drain(struct worker *w, uint32_t rest) {
    look_ahead(w);
    if (LIKELY(w->mode == MODE_BFS)) {
        while (w->ring_head - w->ring_tail > rest) {
            if (QUOTIENT_POSSIBLE && rest > NEXT_LINE) {
                fetch_next_line(ring_at(w, w->ring_tail + NEXT_LINE)->look.line);
            }
            resolve(w);
        }
        return;
    }
    for (uint32_t i = w->ring_head; w->mode == MODE_DFS && i-- != w->ring_tail;) { /* the first one is on top */
        const struct pending *p = ring_at(w, i);
        if (!(QUOTIENT_POSSIBLE && in_line(p->look.line, p->look.value))) {
            push_frame(w, p->state, p->order, w->depth + 1);
        }
    }
    w->ring_tail = w->ring_looked = w->ring_head;
}

static COLD void make_room(struct worker *w) { drain(w, AHEAD); }

/* ------------------------------------------------------------------------------------------- successors */

static COLD void wanted_successor(struct worker *w, const word *n, struct choice choice) {
    uint32_t count = 1;
    for (int32_t i = w->link; i != NOBODY; i = w->links[i].parent) {
        count++;
    }
    for (const struct trail *t = w->trail; t != NULL; t = t->before) {
        count++;
    }
    w->n_steps = count;
    if (count > w->room_steps) {
        give_memory(w->steps, w->room_steps * sizeof *w->steps);
        w->room_steps = 2 * count;
        w->steps = take_memory(w->room_steps * sizeof *w->steps);
    }
    w->steps[--count] = choice;
    for (const struct trail *t = w->trail; t != NULL; t = t->before) {
        w->steps[--count] = t->choice;
    }
    for (int32_t i = w->link; i != NOBODY; i = w->links[i].parent) {
        w->steps[--count] = w->links[i].choice;
    }
    memcpy(w->got_state, n, KEY_WORDS * sizeof(word));
#ifdef FOLDS
    fold_state(w->got_state, w->images);
#endif
    w->got = true;
}

/* A move ends in the state n; it is folded when its turn comes to be looked up. */
SMALL_INLINE void deliver(struct worker *w, const word *n, struct choice choice) {
    if (UNLIKELY(w->order == w->wanted)) {
        wanted_successor(w, n, choice);
    }
    struct pending *p = ring_at(w, w->ring_head);
    COPY_WORDS(p->state, n, KEY_WORDS);
    p->parent = w->in_index;
    p->order = w->order++;
    w->ring_head += !same(n, w->root); /* what is not counted is written over */
    if (UNLIKELY(w->ring_head - w->ring_tail == RING)) {
        make_room(w);
    }
}

static COLD void more_links(struct worker *w) {
    uint32_t room = w->room_links ? 2 * w->room_links : 64;
    struct link *links = take_memory(room * sizeof *links);
    word *states = take_memory((size_t)room * STATE_WORDS * sizeof(word));
    if (links == NULL || states == NULL) {
        stop_because("memory");
        w->lost = w->in_index + 1;
        w->n_links = w->n_links ? w->n_links - 1 : 0;
        return;
    }
    if (w->n_links) {
        memcpy(links, w->links, w->n_links * sizeof *links);
        memcpy(states, w->link_states, (size_t)w->n_links * STATE_WORDS * sizeof(word));
    }
    give_memory(w->links, w->room_links * sizeof *links);
    give_memory(w->link_states, (size_t)w->room_links * STATE_WORDS * sizeof(word));
    w->links = links;
    w->link_states = states;
    w->room_links = room;
}

ALWAYS_INLINE word *link_state(struct worker *w, int32_t i) { return w->link_states + (size_t)i * STATE_WORDS; }

/* An endless loop inside an atomic sequence leads nowhere new. */
static bool repeats(struct worker *w, const word *n, int control, int32_t last) {
    for (int32_t i = last; i != NOBODY; i = w->links[i].parent) {
        if (w->links[i].control == control && memcmp(link_state(w, i), n, STATE_WORDS * sizeof(word)) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_link(struct worker *w, const word *n, struct choice choice, int control, int32_t parent,
                     bool expanded) {
    if (w->n_links == w->room_links) {
        more_links(w);
        if (w->n_links == w->room_links) {
            return false;
        }
    }
    int32_t length = parent == NOBODY ? 1 : w->links[parent].length + 1;
    w->links[w->n_links] = (struct link){choice, control, parent, length, expanded};
    copy_state(link_state(w, (int32_t)w->n_links), n);
    w->n_links++;
    return true;
}

/* The steps that are on the stack of C, as links that outlast it; returns the last one. */
static int32_t keep_trail(struct worker *w, const struct trail *t) {
    if (t == NULL) {
        return w->link;
    }
    int32_t parent = keep_trail(w, t->before);
    return add_link(w, t->state, t->choice, t->control, parent, true) ? (int32_t)w->n_links - 1 : parent;
}

/* The sequence goes on in a step that is taken later. */
static __attribute__((noinline, unused)) void push_link(struct worker *w, const word *n, struct choice choice,
                                                        int control, bool loop) {
    int32_t parent = keep_trail(w, w->trail);
    if (loop && repeats(w, n, control, parent)) {
        return;
    }
    if (parent != NOBODY && w->links[parent].length >= MOST_MICRO_STEPS) {
        stop_because("an atomic sequence of more than a million steps");
        return;
    }
    (void)add_link(w, n, choice, control, parent, false);
}

/* The rest of an atomic sequence, at once. */
ALWAYS_INLINE void follow(struct worker *w, const word *n, struct choice choice, unsigned pid) {
    const struct trail here = {choice, (int32_t)pid, n, w->trail};
    const bool timeout = w->timeout;
    w->trail = &here;
    w->timeout = false;
    const int found = process_steps(w, n, pid);
    w->timeout = timeout;
    w->trail = here.before;
    if (found == 0) { /* blocked: control is lost, and the state is one like any other */
        deliver(w, n, choice);
    }
}

static COLD MAYBE_UNUSED void report_failed(struct worker *w, struct choice choice) {
    for (uint32_t i = 0; i < w->n_failed; i++) {
        report_finding(w, w->failed[i], &choice);
    }
    w->n_failed = 0;
}

/* A step is taken.  `control` is the process that keeps atomic control, `loop` that the step may close a loop. */
ALWAYS_INLINE void emit(struct worker *w, const word *n, struct choice choice, int control, bool loop) {
    if (control == NOBODY) {
        deliver(w, n, choice);
    } else {
        push_link(w, n, choice, control, loop);
    }
}

/* The same for a step that may break an assertion or a trace. */
SMALL_INLINE void emit_checked(struct worker *w, const word *n, struct choice choice, int control, bool loop) {
    if (UNLIKELY(w->n_failed)) {
        report_failed(w, choice);
    }
    emit(w, n, choice, control, loop);
}

SMALL_INLINE void follow_checked(struct worker *w, const word *n, struct choice choice, unsigned pid) {
    if (UNLIKELY(w->n_failed)) {
        report_failed(w, choice);
    }
    follow(w, n, choice, pid);
}

static COLD MAYBE_UNUSED void emit_fault(struct worker *w, struct choice choice) {
    if (!w->overflow) {
        report_finding(w, w->fault, &choice);
    }
    w->overflow = false;
    w->fault = 0;
    w->n_failed = 0;
}

static void expand_links(struct worker *w) {
    w->timeout = false;
    while (w->n_links && !shared.stop) {
        int32_t i = (int32_t)w->n_links - 1;
        struct link *l = &w->links[i];
        if (l->expanded) {
            w->n_links--;
            continue;
        }
        l->expanded = true;
        w->link = i;
        word s[STATE_WORDS];
        copy_state(s, link_state(w, i));
        struct choice choice = l->choice;
        if (process_steps(w, s, (unsigned)l->control) == 0) {
            /* blocked: control is lost, and the state is one like any other */
            w->link = w->links[i].parent;
            deliver(w, s, choice);
        }
    }
    w->n_links = 0;
    w->link = NOBODY;
}

/* The successors are in the ring then, or gone on from there. */
static void expand(struct worker *w, const word *key) {
    word s[STATE_WORDS];
    for (int i = 0; i < STATE_WORDS; i++) {
        s[i] = i < KEY_WORDS ? key[i] : 0;
    }
    w->root = s;
    w->order = 0;
    w->link = NOBODY;
    w->timeout = false;
    int found = all_steps(w, s);
    if (USES_TIMEOUT && found == 0) {
        w->timeout = true;
        found = all_steps(w, s);
    }
    if (UNLIKELY(w->n_links)) {
        expand_links(w);
    }
    w->transitions += w->order;
    if (UNLIKELY(found == 0) && w->mode != MODE_REPLAY) {
        uint32_t site = stuck_site(s);
        if (site) {
            report_finding(w, site, NULL);
        }
    }
    w->root = NULL;
}

/* ------------------------------------------------------------------------------------------- whole searches */

static void bfs(struct worker *w, struct range r) {
    struct chunk *c = shared.chunks[r.chunk];
    w->in_chunk = r.chunk;
    w->last_in = UINT32_MAX; /* the next new state begins a segment */
    for (uint32_t i = r.begin; i < r.end && !shared.stop; i++) {
        w->in_index = i;
        expand(w, c->states + (size_t)i * KEY_WORDS);
        if (w->ring_head - w->ring_tail >= RING / 2) { /* many at once: the processor sees longer loops */
            drain(w, AHEAD);
            if (UNLIKELY(shared.pause)) {
                pause_here(w);
            }
        }
        if (UNLIKELY((i & 255) == 255)) {
            check_limits(w);
        }
    }
    drain(w, 0);
}

static void dfs_step(struct worker *w) {
    int64_t top = (int64_t)w->n_frames - 1;
    struct frame *f = &w->frames[top];
    if (top > 0 && !f[-1].expanded) {
        __builtin_prefetch(look_for(w->frame_states + (uint64_t)(top - 1) * KEY_WORDS).line, 0, 3);
    }
    if (f->expanded) {
        w->n_frames--;
        return;
    }
    word s[KEY_WORDS];
    memcpy(s, w->frame_states + (uint64_t)top * KEY_WORDS, sizeof s);
    struct chunk *c;
    if (visit(w, s, look_for(s), &c) != NEW) {
        w->n_frames--;
        return;
    }
    if (shared.table.quotient || shared.inexact) {
        c->used = 0; /* the table is enough */
    } else {
        c->used++;
    }
    count_new(w, s);
    f->expanded = 1;
    if (f->depth > w->deepest) {
        w->deepest = f->depth;
    }
    if (f->depth >= shared.max_depth) {
        shared.why = "depth";
        return;
    }
    w->frame = top;
    w->depth = f->depth;
    expand(w, s);
    drain(w, 0);
}

static void dfs(struct worker *w) {
    for (uint64_t i = 0; w->n_frames && !shared.stop; i++) {
        dfs_step(w);
        if (UNLIKELY(shared.pause)) {
            pause_here(w);
        }
        if (UNLIKELY((i & 255) == 0)) {
            shared.queue = w->n_frames;
            check_limits(w);
        }
    }
}

static const word *initial_state(uint64_t i);

/* Puts initial state number i into the table; returns 1 if it is a new one. */
static uint64_t insert_initial(struct worker *w, uint64_t i) {
    const word *s = initial_state(i);
    w->transitions++;
    if (w->mode == MODE_DFS) {
        push_frame(w, s, (uint32_t)i, 0);
        return 1;
    }
    struct chunk *c;
    if (visit(w, s, look_for(s), &c) != NEW) {
        return 0;
    }
    if (c->n_segments == 0) {
        note_segment(c, UINT32_MAX, 0, 0);
    }
    if (i < SMALL) {
        c->order[c->used] = (uint8_t)i;
    } else {
        note_order(c, c->used, (uint32_t)i);
    }
    c->used++;
    count_new(w, s);
    return 1;
}

static uint64_t hash_of(const word *s) { return wide_hash(s); }

static void mix_of(const struct table *t, const word *s, uint64_t *ab) {
    struct key k = mix(t, s);
    ab[0] = k.a;
    ab[1] = k.b;
}

#endif
