/* The way to a state, by executing it again.

   Reference: none; the log of parents is the idea of TLC's trace file.
   Differs: a state costs two bytes: which successor of its parent it is, and how many of its own successors were new.
   Workers write their states in the order of the parents, so that counting gives the parent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "search/modes.h"

struct orders {
    uint32_t *items;
    size_t length, room;
};

static void add(struct orders *o, uint32_t order)
{
    if (o->length == o->room) {
        o->room = o->room ? 2 * o->room : 256;
        o->items = realloc(o->items, o->room * sizeof *o->items);
        if (o->items == NULL) {
            out_of_memory();
        }
    }
    o->items[o->length++] = order;
}

static uint32_t order_of(const struct chunk *c, uint32_t index)
{
    return c->order[index] == SMALL ? c->big_order[index] : c->order[index] == REPEATED ? REPEATS : c->order[index];
}

/* Last first. */
static void orders_from_log(struct orders *o, uint32_t chunk, uint32_t index)
{
    for (;;) {
        const struct chunk *c = shared.chunks[chunk];
        add(o, order_of(c, index));
        uint32_t s = c->n_segments;
        do {
            s--;
        } while (c->segments[s].start > index);
        struct segment g = c->segments[s];
        if (g.from == UINT32_MAX) {
            return;
        }
        const struct chunk *from = shared.chunks[g.from];
        uint32_t before = index - g.start + g.skip, parent = g.first;
        while (before >= kids_of(from, parent)) {
            before -= kids_of(from, parent++);
        }
        chunk = g.from;
        index = parent;
    }
}

static void orders_from_stack(struct orders *o, const struct worker *w)
{
    for (int64_t i = w->node; i != NOBODY; i = w->nodes[i].depth ? (int64_t)w->nodes[i].parent : NOBODY) {
        add(o, w->nodes[i].order);
    }
}

static void open_choice(const struct choice *c, bool *first, FILE *out)
{
    fprintf(out, "%s[%d,%d", *first ? "" : ",", c->pid, c->action);
    if (c->reuse) {
        fprintf(out, ",-1,-1,%d", c->reuse - 1);
    } else if (c->partner != NOBODY) {
        fprintf(out, ",%d,%d", c->partner, c->partner_action);
    }
    *first = false;
}

static void print_choice(const struct choice *c, bool *first, FILE *out)
{
    open_choice(c, first, out);
    putc(']', out);
}

/* The last step of a move, and where folding took processes and scalarset values after it, if it moved any; an empty
   list if only objects may have moved. */
static void print_folded(const struct choice *c, const uint8_t *images, bool *first, FILE *out)
{
    bool moved = false;
    for (unsigned i = 0; i < shared.model->n_images; i++) {
        moved |= images[i] != i;
    }
    open_choice(c, first, out);
    if (moved || shared.model->folds_heap) {
        fputs(",[", out);
        for (unsigned i = 0; moved && i < shared.model->n_images; i++) {
            fprintf(out, "%s%u", i ? "," : "", images[i]);
        }
        putc(']', out);
    }
    putc(']', out);
}

static struct worker replay; /* it executes what was executed before, and finds nothing */

static void replay_begin(void)
{
    static bool ready;
    if (!ready) {
        worker_init(&replay, -1, MODE_REPLAY);
        ready = true;
    }
}

/* How many transitions some expanded states have; the search has stopped. */
uint64_t count_again(uint32_t chunk, uint32_t begin, uint32_t end)
{
    const word *states = shared.chunks[chunk]->states;
    replay_begin();
    replay.transitions = 0;
    replay.wanted = UINT32_MAX;
    for (uint32_t i = begin; i < end; i++) {
        replay.everybody = shared.chunks[chunk]->order[i] == REPEATED;
        shared.model->expand(&replay, states + (size_t)i * shared.model->key_words);
    }
    return replay.transitions;
}

/* Executes the successors with the given orders, from the initial state on.  Returns how many steps those before state
   number `until` are. */
static uint64_t print_moves(const struct orders *o, size_t until, bool *first, FILE *out)
{
    uint64_t steps = 0, before = 0;
    replay_begin();
    size_t bytes = shared.model->key_words * sizeof(word);
    word *state = malloc(bytes);
    if (state == NULL || replay.got_state == NULL) {
        out_of_memory();
    }
    memcpy(state, shared.model->initial + o->items[o->length - 1] * shared.model->key_words, bytes);
    for (size_t i = o->length - 1; i-- > 0;) {
        if (o->items[i] == STAYS || o->items[i] == REPEATS) {
            continue;
        }
        replay.everybody = o->items[i + 1] == REPEATS || (o->items[i] & BY_EVERYBODY);
        replay.wanted = o->items[i] & ~BY_EVERYBODY;
        replay.got = false;
        shared.model->expand(&replay, state);
        if (!replay.got) {
            fprintf(stderr, "a step of the path cannot be executed again\n");
            exit(70);
        }
        memcpy(state, replay.got_state, bytes);
        for (uint32_t j = 0; j + 1 < replay.n_steps; j++) {
            print_choice(&replay.steps[j], first, out);
        }
        print_folded(&replay.steps[replay.n_steps - 1], replay.images, first, out);
        steps += replay.n_steps;
        before = o->length - i <= until ? steps : before;
    }
    free(state);
    return before;
}

/* A run that violates a claim; see report_run. */
void run_print(const uint32_t *orders, size_t count, uint64_t cycle, FILE *out)
{
    struct orders o = {0};
    bool first = true;
    for (size_t i = count; i-- > 0;) {
        add(&o, orders[i]);
    }
    fprintf(out, "\"initial\":%u,\"path\":[", orders[0]);
    const uint64_t before = print_moves(&o, cycle, &first, out);
    putc(']', out);
    if (cycle) {
        fprintf(out, ",\"cycle\":%llu", (unsigned long long)before);
    }
    free(o.items);
}

/* SOUND: a search level by level finds a path of the fewest moves; how many steps they are depends on who was first. */
static void print_head(const struct orders *o, bool goes_on, FILE *out)
{
    uint32_t moves = goes_on;
    for (size_t i = 0; i + 1 < o->length; i++) {
        moves += o->items[i] != REPEATS;
    }
    fprintf(out, "\"moves\":%u,\"initial\":%u,\"path\":[", moves, o->items[o->length - 1]);
}

static void print_links(const struct worker *w, int32_t link, bool *first, FILE *out)
{
    uint32_t count = 0;
    for (int32_t i = link; i != NOBODY; i = w->links[i].parent) {
        count++;
    }
    while (count-- > 0) {
        int32_t at = link;
        for (uint32_t j = 0; j < count; j++) {
            at = w->links[at].parent;
        }
        print_choice(&w->links[at].choice, first, out);
    }
}

static void print_trail(const struct trail *t, bool *first, FILE *out)
{
    if (t != NULL) {
        print_trail(t->before, first, out);
        print_choice(&t->choice, first, out);
    }
}

#if CLUSTER
/* The steps behind the state that the worker expands. */
void tail_print(const struct worker *w, const struct choice *last, FILE *out)
{
    bool first = true;
    print_links(w, w->link, &first, out);
    print_trail(w->trail, &first, out);
    print_choice(last, &first, out);
}

/* The path with these orders, and what comes behind it. */
void orders_print(const uint32_t *last_first, size_t count, const char *tail, FILE *out)
{
    const struct orders o = {(uint32_t *)(uintptr_t)last_first, count, count};
    bool first = true;
    print_head(&o, *tail, out);
    (void)print_moves(&o, 0, &first, out);
    fprintf(out, "%s%s]", first || !*tail ? "" : ",", tail);
}

/* Which successor of its parent the state at a place is. */
uint32_t order_at(uint32_t chunk, uint32_t index) { return order_of(shared.chunks[chunk], index); }
#endif

/* The path to the state that the worker expands, the steps of an atomic sequence, and the last step. */
void path_print(struct worker *w, const struct choice *last, FILE *out)
{
    struct orders o = {0};
    bool first = true;
    if (w->mode == MODE_BFS) {
        orders_from_log(&o, w->in_chunk, w->in_index);
    } else {
        orders_from_stack(&o, w);
    }
    print_head(&o, last != NULL, out);
    (void)print_moves(&o, 0, &first, out);
    if (last != NULL) {
        print_links(w, w->link, &first, out);
        print_trail(w->trail, &first, out);
        print_choice(last, &first, out);
    }
    putc(']', out);
    free(o.items);
}
