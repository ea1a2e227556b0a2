/* The inner loops of the searches: expanding a state, atomic sequences, looking successors up.

   Reference: Holzmann, "The Spin Model Checker" (2003), for what a transition and a stored state are.
   Differs: breadth-first by default; lookups wait in batches while the memory that they need is fetched.

   A template (codegen/templates.py), behind KEY_WORDS, KEY_BITS, STATE_WORDS, CHUNK, USES_TIMEOUT and before the
   functions all_steps, process_steps, stuck_site. */
#ifndef ISOSPIN_SEARCH_H
#define ISOSPIN_SEARCH_H

#include <string.h>

#include "search/stack.inc.h"

static int all_steps(struct worker *w, const word *s);
static int process_steps(struct worker *w, const word *s, unsigned pid);
static uint32_t stuck_site(const word *s);
#if INVARIANTS
static void check_invariants(struct worker *w, const word *s);
#endif

/* ------------------------------------------------------------------------------------------- what was generated */

/* One state has more successors than there is room for.  What was too small is not given back: it is little. */
static COLD void more_batch(struct worker *w)
{
    const size_t used = (size_t)(w->next - w->batch);
    struct pending *larger = take_memory(2 * used * sizeof *larger);
    if (larger == NULL) {
        stop_because(END_MEMORY);
        w->next = w->batch;
        return;
    }
    memcpy(larger, w->batch, used * sizeof *larger);
    w->batch = larger;
    w->next = larger + used;
    w->full = larger + 2 * used;
}

static COLD void make_room(struct worker *w)
{
    if (w->mode == MODE_BFS) {
        turn(w);
    } else if (w->mode == MODE_DFS) {
        push_batch(w);
    } else if (w->mode == MODE_CYCLES) {
        more_batch(w);
    } else {
        w->next = w->batch;
    }
}

/* ------------------------------------------------------------------------------------------- successors */

static COLD void wanted_successor(struct worker *w, const word *n, struct choice choice)
{
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

#if FAIR
/* SOUND: who can start a step is known from all steps, also from those that fail. */
ALWAYS_INLINE int starts(struct worker *w, unsigned pid, int found)
{
    w->starters[pid / 64] |= (word)(found != 0) << pid % 64;
    return found;
}

ALWAYS_INLINE void add_movers(word *movers, struct choice c)
{
    movers[c.pid / 64] |= 1ULL << c.pid % 64;
    if (c.partner != NOBODY) {
        movers[c.partner / 64] |= 1ULL << c.partner % 64;
    }
}

/* All who take part in a move, atomic sequences included. */
static void note_movers(const struct worker *w, word *movers, struct choice choice)
{
    memset(movers, 0, PID_WORDS * sizeof *movers);
    add_movers(movers, choice);
    for (const struct trail *t = w->trail; t != NULL; t = t->before) {
        add_movers(movers, t->choice);
    }
    for (int32_t i = w->link; i != NOBODY; i = w->links[i].parent) {
        add_movers(movers, w->links[i].choice);
    }
}

ALWAYS_INLINE uint8_t image_in(const struct pending *p, unsigned pid)
{
#ifdef MOVES_POINTS
    return pid < FOLDED_PIDS ? p->images[pid] : (uint8_t)pid;
#else
    (void)p;
    return (uint8_t)pid;
#endif
}
#endif

#if CLAIMED
#define ONCE __attribute__((noinline)) /* the search and the replay share it: the compiler takes long enough */
#else
#define ONCE
#endif

static COLD MAYBE_UNUSED void report_failed(struct worker *w, struct choice choice);
#if POR
static MAYBE_UNUSED bool leap(struct worker *w, const word *n, struct choice choice);
#endif

#if IN_PLACE
#define SUCCESSOR(n) word *const n = w->next->state
#else
#define SUCCESSOR(n) word n[STATE_WORDS]
#endif

/* A move ends in the state n; it is folded when its turn comes to be looked up. */
ALWAYS_INLINE void deliver_to(struct worker *w, struct pending *p, const word *n, struct choice choice)
{
    if (UNLIKELY((uint32_t)w->origin == w->wanted)) {
        wanted_successor(w, n, choice);
    }
    p->origin = w->origin++;
#if FAIR
    note_movers(w, p->movers, choice);
#endif
    p += CLAIMED || IN_PLACE || !same(n, w->root); /* what is not counted is written over; a wide one is soon found */
    w->next = p;
    if (UNLIKELY(p == w->full)) {
        make_room(w);
    }
}

SMALL_INLINE void deliver(struct worker *w, const word *n, struct choice choice)
{
#if POR
    if (leap(w, n, choice)) {
        return;
    }
#endif
    struct pending *p = w->next;
    COPY_WORDS(p->state, n, KEY_WORDS);
    deliver_to(w, p, n, choice);
}

/* The same for a SUCCESSOR. */
SMALL_INLINE void deliver_it(struct worker *w, const word *n, struct choice choice)
{
#if IN_PLACE
    deliver_to(w, w->next, n, choice);
#else
    deliver(w, n, choice);
#endif
}

SMALL_INLINE void deliver_it_checked(struct worker *w, const word *n, struct choice choice)
{
    if (UNLIKELY(w->n_failed)) {
        report_failed(w, choice);
    }
    deliver_it(w, n, choice);
}

static COLD void more_links(struct worker *w)
{
    uint32_t room = w->room_links ? 2 * w->room_links : 64;
    struct link *links = take_memory(room * sizeof *links);
    word *states = take_memory((size_t)room * STATE_WORDS * sizeof(word));
    if (links == NULL || states == NULL) {
        stop_because(END_MEMORY);
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
static bool repeats(struct worker *w, const word *n, int control, int32_t last)
{
    for (int32_t i = last; i != NOBODY; i = w->links[i].parent) {
        if (w->links[i].control == control && memcmp(link_state(w, i), n, STATE_WORDS * sizeof(word)) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_link(struct worker *w, const word *n, struct choice choice, int control, int32_t parent, bool expanded)
{
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
static int32_t keep_trail(struct worker *w, const struct trail *t)
{
    if (t == NULL) {
        return w->link;
    }
    int32_t parent = keep_trail(w, t->before);
    return add_link(w, t->state, t->choice, t->control, parent, true) ? (int32_t)w->n_links - 1 : parent;
}

/* The sequence goes on in a step that is taken later. */
static __attribute__((noinline, unused)) void push_link(struct worker *w, const word *n, struct choice choice,
                                                        int control, bool loop)
{
    int32_t parent = keep_trail(w, w->trail);
    if (loop && repeats(w, n, control, parent)) {
        w->nowhere++;
        return;
    }
    if (parent != NOBODY && w->links[parent].length >= MOST_MICRO_STEPS) {
        stop_because("an atomic sequence of more than a million steps");
        return;
    }
    (void)add_link(w, n, choice, control, parent, false);
}

/* The rest of an atomic sequence is executed between these two. */
ALWAYS_INLINE void begin_follow(struct worker *w, struct trail *here, const word *n, struct choice choice, unsigned pid)
{
    *here = (struct trail){choice, (int32_t)pid, w->timeout, n, w->trail};
    w->trail = here;
    w->timeout = false;
}

ALWAYS_INLINE void end_follow(struct worker *w, const struct trail *here, int found)
{
    w->timeout = here->timeout;
    w->trail = here->before;
    if (found == 0) { /* blocked: control is lost, and the state is one like any other */
        deliver(w, here->state, here->choice);
    }
}

ALWAYS_INLINE void follow(struct worker *w, const word *n, struct choice choice, unsigned pid)
{
    struct trail here;
    begin_follow(w, &here, n, choice, pid);
    end_follow(w, &here, process_steps(w, n, pid));
}

static COLD MAYBE_UNUSED void report_failed(struct worker *w, struct choice choice)
{
    for (uint32_t i = 0; i < w->n_failed; i++) {
        report_finding(w, w->failed[i], &choice);
    }
    w->n_failed = 0;
}

/* A step is taken.  `control` is the process that keeps atomic control, `loop` that the step may close a loop. */
ALWAYS_INLINE void emit(struct worker *w, const word *n, struct choice choice, int control, bool loop)
{
    if (control == NOBODY) {
        deliver(w, n, choice);
    } else {
        push_link(w, n, choice, control, loop);
    }
}

/* The same for a step that may break an assertion or a trace. */
SMALL_INLINE void emit_checked(struct worker *w, const word *n, struct choice choice, int control, bool loop)
{
    if (UNLIKELY(w->n_failed)) {
        report_failed(w, choice);
    }
    emit(w, n, choice, control, loop);
}

ALWAYS_INLINE void begin_follow_checked(struct worker *w, struct trail *here, const word *n, struct choice choice,
                                        unsigned pid)
{
    if (UNLIKELY(w->n_failed)) {
        report_failed(w, choice);
    }
    begin_follow(w, here, n, choice, pid);
}

SMALL_INLINE void follow_checked(struct worker *w, const word *n, struct choice choice, unsigned pid)
{
    if (UNLIKELY(w->n_failed)) {
        report_failed(w, choice);
    }
    follow(w, n, choice, pid);
}

static COLD MAYBE_UNUSED void emit_fault(struct worker *w, struct choice choice)
{
    if (!w->overflow) {
        report_failed(w, choice);
        report_finding(w, w->fault, &choice);
    }
    w->nowhere++;
    w->overflow = false;
    w->fault = 0;
    w->n_failed = 0;
}

/* Takes the steps that were put off, down to the first so many.  SOUND: a search that stops may leave some out; what
   runs a path again may not, whoever stops the search meanwhile. */
static void expand_links(struct worker *w, uint32_t down_to)
{
    w->timeout = false;
    while (w->n_links > down_to && (!shared.stop || w->mode == MODE_REPLAY)) {
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
    w->n_links = down_to;
    w->link = NOBODY;
}

#if POR
#include "search/ample.inc.h"
#endif

#if POR && FAIR
/* Who else could have moved; what they would do is thrown away. */
static void note_starters(struct worker *w, const word *s)
{
    const size_t used = (size_t)(w->next - w->batch);
    const uint32_t n_links = w->n_links;
    const uint64_t origin = w->origin;
    if (w->mode == MODE_CYCLES) {
        (void)all_steps(w, s);
        w->next = w->batch + used;
        w->n_links = n_links;
        w->origin = origin;
    }
}
#endif

/* The successors are in the fresh batch then, or gone on from there.  Returns 0 if nothing can move. */
static ONCE int take_steps(struct worker *w, const word *s)
{
    w->root = s;
    w->origin = (uint64_t)w->in_index << 32;
    w->link = NOBODY;
    w->timeout = false;
#if POR
    int found = w->everybody ? 0 : ample_steps(w, s);
    w->alone = found != 0;
#if FAIR
    if (found) {
        note_starters(w, s);
    }
#endif
#if WANTS_NEW
    if (found && w->mode == MODE_BFS) {
        note_try(w);
    }
#endif
    found = found ? found : all_steps(w, s);
#else
    int found = all_steps(w, s);
#endif
    w->idle = found == 0;
    if (USES_TIMEOUT && found == 0) {
        w->timeout = true;
        found = all_steps(w, s);
    }
    if (UNLIKELY(w->n_links)) {
        expand_links(w, 0);
    }
    w->root = NULL;
    return found;
}

static void expand(struct worker *w, const word *key)
{
    word s[STATE_WORDS];
    for (int i = 0; i < STATE_WORDS; i++) {
        s[i] = i < KEY_WORDS ? key[i] : 0;
    }
#if INVARIANTS
    check_invariants(w, s);
#endif
    const int found = take_steps(w, s);
    POST(w->transitions, w->transitions + (uint32_t)w->origin);
    if (UNLIKELY(found == 0) && w->mode != MODE_REPLAY) {
        uint32_t site = stuck_site(s);
        if (site) {
            report_finding(w, site, NULL);
        }
    }
}

/* ------------------------------------------------------------------------------------------- whole searches */

static void bfs(struct worker *w, struct range r)
{
    struct chunk *c = shared.chunks[r.chunk];
    w->in_chunk = r.chunk;
    if (UNLIKELY(c->on_disk) && !spill_load(r.chunk)) {
        return;
    }
    w->last_in = UINT32_MAX; /* the next new state begins a segment */
    for (uint32_t i = r.begin; i < r.end && !shared.stop; i++) {
        w->in_index = i;
        w->everybody = WANTS_NEW && c->order[i] == REPEATED;
        expand(w, c->states + (size_t)i * KEY_WORDS);
        if (w->next - w->batch >= BATCH) { /* many at once: the processor sees longer loops */
            turn(w);
            if (UNLIKELY(shared.pause)) {
                pause_here(w);
            }
        }
        if (UNLIKELY((i & 255) == 255)) {
            check_limits(w);
        }
    }
    turn(w);
    turn(w);
#if WANTS_NEW
    settle_tries(w, r.end);
    w->first_try = w->n_tries = 0;
#endif
    if (UNLIKELY(c->on_disk)) {
        spill_release(r.chunk);
    }
}

static void expand_node(struct worker *w, uint64_t at, const word *s)
{
    if (w->nodes[at].depth >= shared.max_depth) {
        shared.why = END_DEPTH;
        return;
    }
    w->node = (int64_t)at;
    w->in_index = (uint32_t)at;
    expand(w, s);
}

/* Expands some states from the top of the stack together, so that what they need from memory comes together. */
static void dfs_step(struct worker *w)
{
    uint32_t which[BEAM], kept = 0;
    pop_frames(w);
    const uint64_t begin = w->n_nodes;
    const uint32_t count = not_at_home(w->waiting, w->n_waiting, which);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = which[i];
        which[kept] = at;
        kept += visit_frame(w, w->waiting + at);
    }
    w->n_waiting = 0;
    for (uint32_t i = 0; i < kept && !shared.stop; i++) {
        expand_node(w, begin + i, w->waiting[which[i]].state);
    }
    push_batch(w);
}

static void dfs(struct worker *w)
{
    for (uint64_t i = 0; w->n_frames && !shared.stop; i++) {
        dfs_step(w);
        if (UNLIKELY(shared.pause)) {
            pause_here(w);
        }
        if (UNLIKELY((i & 63) == 0)) {
            shared.queue = w->n_frames;
            check_limits(w);
        }
    }
}

static const word *initial_state(uint64_t i);

#ifdef ONE_PER_ORBIT
/* SOUND: symmetries keep the set of initial states, so of each orbit the one that stands for it is in the table too. */
static bool stands_for_itself(const word *s)
{
    word image[STATE_WORDS] = {0};
    memcpy(image, s, KEY_WORDS * sizeof(word));
    fold_state(image, NULL);
    return memcmp(image, s, KEY_WORDS * sizeof(word)) == 0;
}
#endif

/* Puts initial state number i into the table; returns 1 if it is a new one. */
static uint64_t insert_initial(struct worker *w, uint64_t i)
{
    const word *s = initial_state(i);
#ifdef ONE_PER_ORBIT
    if (shared.model->n_initial > 1 && !stands_for_itself(s)) {
        return 0;
    }
#endif
    if (w->mode == MODE_DFS) {
        w->transitions++;
        push_frame(w, s, (uint32_t)i, UINT32_MAX);
        return 1;
    }
#if CLUSTER
    if (owner_of(s) != cluster.rank) {
        return 0;
    }
#endif
    w->transitions++;
    struct chunk *c;
    if (visit(w, s, look_for(s), &c) != NEW) {
        return 0;
    }
#if REUSES_CODES
    codes_in(c)[c->used] = code_of(s);
#endif
    if (c->n_segments == 0) {
        note_segment(c, UINT32_MAX, 0, 0);
    }
    if (i < REPEATED) {
        c->order[c->used] = (uint8_t)i;
    } else {
        note_order(c, c->used, (uint32_t)i);
    }
    c->used++;
    count_new(w, s);
    return 1;
}

static uint64_t hash_of(const word *s) { return wide_hash(s); }

static void mix_of(const struct table *t, const word *s, uint64_t *ab)
{
    struct key k = mix(t, s);
    ab[0] = k.a;
    ab[1] = k.b;
}

#endif
