/* Reference: Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017 (RC11): coherence, atomicity, and no cycle of `psc`.
 * Differs: release sequences are those of C++20 (a store by the same thread does not go on with one).  That program
 * order and sources have no cycle needs no check: graphs are made so.  consume is acquire.
 */
#include "graphs/model.h"

#include "explore/arena.h"

#include <stdatomic.h>
#include <string.h>

/* Sets of events: rows of bits. */
static int words;
static uint64_t *rows; /* all of them */
static unsigned rows_room;
enum row { APART, BEYOND, BETWEEN, EXTENDED, HAPPENS, ROWS };

static uint64_t *row(enum row which, event_number e)
{
    return rows + ((size_t)which * (size_t)related.count + (size_t)e) * (size_t)words;
}

static void put(uint64_t *set, event_number e) { set[e / 64] |= (uint64_t)1 << e % 64; }

static bool has(const uint64_t *set, event_number e) { return set[e / 64] >> e % 64 & 1; }

static void add(uint64_t *set, const uint64_t *more)
{
    for (int i = 0; i < words; i++)
        set[i] |= more[i];
}

#define FOR_EACH_IN(e, set) \
    for (event_number e = 0; e < related.count; e++) \
        if (has(set, e))

static bool is_strong(const struct graph_event *e)
{
    return e->order >= memory_order_seq_cst && (e->variable != NOBODY || e->kind == OP_FENCE);
}

static bool is_strong_fence(const struct graph_event *e) { return e->kind == OP_FENCE && is_strong(e); }

static bool same_variable(const struct graph_event *a, const struct graph_event *b)
{
    return a->variable != NOBODY && a->variable == b->variable;
}

/* Is the second one behind the first in modification order, or behind what the first one read? */
static bool is_newer(const struct graph *g, const struct graph_event *a, const struct graph_event *b)
{
    if (!same_variable(a, b) || !b->place || a == b)
        return false;
    return (a->place && b->place > a->place) || (a->reads && b->place > graph_place_of(g, a->source));
}

static void relate_pair(const struct graph *g, event_number x, event_number y)
{
    const struct graph_event *a = &g->events[x], *b = &g->events[y];
    bool ordered = a->thread == b->thread && a->nth < b->nth;
    bool happens = x != y && is_in(related.happened[y], a);
    if (happens)
        put(row(HAPPENS, x), y);
    if (ordered && !same_variable(a, b))
        put(row(APART, x), y);
    if (ordered || (happens && same_variable(a, b)) || is_newer(g, a, b))
        put(row(BETWEEN, x), y);
    if (is_newer(g, a, b) || (b->source == x && b->reads))
        put(row(EXTENDED, x), y);
}

/* Behind a newer write also those that read it. */
static void extend(const struct graph *g, event_number x)
{
    for (event_number r = 0; r < g->count; r++) {
        const struct graph_event *reader = &g->events[r];
        if (reader->reads && reader->source != NOBODY && is_newer(g, &g->events[x], &g->events[reader->source]))
            put(row(EXTENDED, x), r);
    }
}

static void make_rows(const struct graph *g)
{
    words = (g->count + 63) / 64;
    GROW(rows, rows_room, (size_t)ROWS * (size_t)g->count * (size_t)words);
    memset(rows, 0, (size_t)ROWS * (size_t)g->count * (size_t)words * sizeof *rows);
    for (event_number x = 0; x < g->count; x++)
        for (event_number y = 0; y < g->count; y++)
            relate_pair(g, x, y);
    for (event_number x = 0; x < g->count; x++) {
        extend(g, x);
        FOR_EACH_IN(d, row(HAPPENS, x))
        add(row(BEYOND, x), row(APART, d));
    }
    for (event_number x = 0; x < g->count; x++)
        FOR_EACH_IN(c, row(APART, x))
    add(row(BETWEEN, x), row(BEYOND, c));
}

/* Where the edges of `psc` from an event may begin: at itself, and of a fence also at all that happens after it. */
static void strong_edges(const struct graph *g, event_number x)
{
    static uint64_t *reached;
    static unsigned reached_room;
    GROW(reached, reached_room, words);
    memset(reached, 0, (size_t)words * sizeof *reached);
    add(reached, row(BETWEEN, x));
    bool fence = is_strong_fence(&g->events[x]);
    if (fence)
        FOR_EACH_IN(a, row(HAPPENS, x))
    add(reached, row(BETWEEN, a));
    if (fence) /* psc_F */
        FOR_EACH_IN(a, row(HAPPENS, x))
        {
            if (is_strong_fence(&g->events[a]))
                edge(x, a);
            FOR_EACH_IN(b, row(EXTENDED, a))
            FOR_EACH_IN(y, row(HAPPENS, b))
            if (is_strong_fence(&g->events[y]))
                edge(x, y);
        }
    for (event_number y = 0; y < g->count; y++) {
        if (!is_strong(&g->events[y]))
            continue;
        bool found = has(reached, y);
        if (is_strong_fence(&g->events[y]))
            FOR_EACH_IN(b, reached)
        found |= has(row(HAPPENS, b), y);
        if (found)
            edge(x, y);
    }
}

static int strong_events(const struct graph *g)
{
    int count = 0;
    for (event_number e = 0; e < g->count; e++)
        count += is_strong(&g->events[e]);
    return count;
}

bool is_rc11(const struct graph *g)
{
    relate_happened(&related, g);
    if (!is_coherent(g, &related))
        return false;
    if (strong_events(g) < 2)
        return true;
    make_rows(g);
    edges_begin(g);
    for (event_number e = 0; e < g->count; e++)
        if (is_strong(&g->events[e]))
            strong_edges(g, e);
    return edges_acyclic();
}
