/* Locks and the like: an operation comes in between those that touched the same objects.
 *
 * Reference: as engines/stateless/graphs/revisit.py: the one that was there gives way, with what followed from it by
 * itself, and a mark stays in its place: it comes again behind the one that it gave way to.
 * Differs: all operations of a chain follow each other, also those that only look.
 */
#include "graphs/graphs.h"

#include "explore/arena.h"
#include "explore/explore.h"
#include "explore/program.h"
#include "graphs/growing.h"
#include "graphs/later.h"

#include <string.h>

struct arrival {
    const struct graph *graph;
    const struct relations *relations;
    struct graph_event event;
    event_number rival; /* the one that has to give way */
};

static int index_of(const struct graph_event *event, int32_t object)
{
    for (int i = 0; i < event->objects; i++)
        if (event->object[i] == object)
            return i;
    return -1;
}

static void learn(uint16_t *clock, const uint16_t *more)
{
    for (int t = 0; t < program_threads_ever(); t++)
        if (more[t] > clock[t])
            clock[t] = more[t];
}

/* Does a clock know of somebody behind an event in a chain? */
static bool knows_later(const struct arrival *a, int32_t object, event_number before, const uint16_t *clock)
{
    const struct graph *g = a->graph;
    for (event_number e = 0; e < g->count; e++)
        if (e != before && index_of(&g->events[e], object) >= 0 && is_in(clock, &g->events[e]) &&
            (before == NOBODY || is_in(a->relations->past[e], &g->events[before])))
            return true;
    return false;
}

static bool knows_later_of_any(const struct arrival *a, int chosen, const uint16_t *clock)
{
    for (int i = 0; i < chosen; i++)
        if (knows_later(a, a->event.object[i], a->event.before[i], clock))
            return true;
    return false;
}

/* ---------------------------------------------------------------- can it be? */

/* Does it have to come behind one that took its place before? */
static bool respects_marks(const struct arrival *a, const uint16_t *clock)
{
    for (int i = 0; i < a->graph->mark_count; i++) {
        const struct mark *mark = &a->graph->marks[i];
        if (mark->thread == a->event.thread && mark->nth == a->event.nth && !is_in(clock, &a->graph->events[mark->by]))
            return false;
    }
    return true;
}

enum { FREE = -1, UNKNOWN = -2 };

/* Who holds a lock behind an operation on it. */
static int owner_behind(const struct graph *g, event_number e, int32_t lock)
{
    while (e != NOBODY) {
        const struct graph_event *event = &g->events[e];
        switch (event->kind) {
        case OP_LOCK:
            return event->thread;
        case OP_WAKE: /* the mutex comes behind the condition; a futex has none */
            if (index_of(event, lock) > 0)
                return event->thread;
            e = event->before[0];
            break;
        case OP_UNLOCK:
        case OP_WAIT:
            return FREE;
        case OP_TRYLOCK:
            if (event->took)
                return event->thread;
            e = event->before[index_of(event, lock)];
            break;
        default:
            return UNKNOWN;
        }
    }
    return FREE;
}

static bool was_signalled(const struct arrival *a, int32_t object, const uint16_t *clock)
{
    for (event_number e = 0; e < a->graph->count; e++) {
        const struct graph_event *event = &a->graph->events[e];
        if ((event->kind == OP_SIGNAL || event->kind == OP_BROADCAST) && index_of(event, object) >= 0 &&
            is_in(clock, event))
            return true;
    }
    return program_options.spurious;
}

/* False: it would have to wait there, for sure.  (Where that is not seen, the program says so.) */
static bool may_pass(const struct arrival *a, const uint16_t *clock)
{
    const struct graph_event *event = &a->event;
    int lock = event->objects - 1; /* of a wake-up the mutex comes behind the condition */
    bool wakes_another = event->kind == OP_SIGNAL || event->kind == OP_BROADCAST; /* at a futex, when nobody enters */
    if (event->kind == OP_WAKE && !was_signalled(a, event->object[0], clock))
        return false;
    if (event->kind != OP_LOCK && !wakes_another && (event->kind != OP_WAKE || !lock))
        return true;
    int owner = owner_behind(a->graph, event->before[lock], event->object[lock]);
    return owner < 0 || owner == event->thread;
}

/* ---------------------------------------------------------------- the new graph */

static void add_arrival(struct graph *made, const struct arrival *a, const struct graph_event *sources)
{
    const struct graph_event *rival = &a->graph->events[a->rival];
    int thread = a->event.thread;
    struct graph_event *new = graph_add(made, thread);
    struct graph_event filled = a->event;
    filled.stamp = new->stamp;
    filled.write_stamp = new->write_stamp;
    filled.nth = new->nth;
    filled.previous = new->previous;
    filled.fence = new->fence;
    memcpy(filled.before, sources->before, sizeof filled.before);
    *new = filled;
    made->fresh = made->count - 1;
    made->marks[made->mark_count++] = (struct mark){rival->stamp, rival->thread, rival->nth, made->fresh};
}

static void come_before(const struct arrival *a, const uint16_t *clock)
{
    static struct graph made;
    static bool *keep, *whole;
    static unsigned keep_room, whole_room;
    const struct graph *g = a->graph;
    int32_t since = g->events[a->rival].stamp;
    GROW(keep, keep_room, g->count);
    GROW(whole, whole_room, g->count);
    for (event_number e = 0; e < g->count; e++) {
        whole[e] = is_in(clock, &g->events[e]);
        keep[e] = whole[e] || g->events[e].stamp < since;
    }
    graph_keep(&made, g, keep, whole, since);
    struct graph_event sources = {0};
    for (int i = 0; i < a->event.objects; i++) {
        event_number before = a->event.before[i], last = graph_last_in_chain(&made, a->event.object[i]);
        const struct graph_event *old = before == NOBODY ? NULL : &g->events[before];
        if (last != (old ? graph_at(&made, old->thread, old->nth) : NOBODY))
            return;
        sources.before[i] = last;
    }
    GROW(made.marks, made.mark_room, made.mark_count + 1);
    add_arrival(&made, a, &sources);
    later_because(&a->event, &g->events[a->rival]);
    offer(&made);
}

/* Of each object the one that it follows; then the graph. */
static void choose(struct arrival *a, int chosen, const uint16_t *clock)
{
    const struct graph *g = a->graph;
    const struct graph_event *rival = &g->events[a->rival];
    if (is_in(clock, rival) || knows_later_of_any(a, chosen, clock))
        return;
    if (chosen == a->event.objects) {
        if (respects_marks(a, clock) && may_pass(a, clock) &&
            is_canonical(g, a->relations, rival->stamp, clock, NOBODY))
            come_before(a, clock);
        return;
    }
    int common = index_of(rival, a->event.object[chosen]);
    for (event_number e = NOBODY; e < g->count; e++) {
        bool fits = common >= 0 ? e == rival->before[common]
                                : e == NOBODY || index_of(&g->events[e], a->event.object[chosen]) >= 0;
        if (!fits)
            continue;
        uint16_t more[MOST_THREADS];
        memcpy(more, clock, sizeof more);
        if (e != NOBODY)
            learn(more, a->relations->past[e]);
        a->event.before[chosen] = e;
        choose(a, chosen + 1, more);
    }
}

static bool meets(const struct graph_event *a, const struct graph_event *b)
{
    for (int i = 0; i < a->objects; i++)
        if (index_of(b, a->object[i]) >= 0)
            return true;
    return false;
}

/* Does anything of another thread touch the same objects? */
static bool has_rivals(const struct arrival *a)
{
    for (event_number e = 0; e < a->graph->count; e++)
        if (a->graph->events[e].thread != a->event.thread && meets(&a->event, &a->graph->events[e]))
            return true;
    return false;
}

void revisit_by_operation(const struct graph *g, int thread)
{
    struct arrival a = {.graph = g};
    event_number last = graph_last_of(g, thread);
    uint16_t clock[MOST_THREADS] = {0};
    a.event = (struct graph_event){
        .thread = (uint8_t)thread,
        .variable = NOBODY,
        .source = NOBODY,
        .previous = last,
        .earlier = NOBODY,
        .fence = NOBODY,
        .born = NOBODY,
    };
    if (last != NOBODY && g->events[last].thread == thread)
        a.event.nth = g->events[last].nth + 1;
    describe_event(&a.event, thread);
    if (!has_rivals(&a))
        return;
    a.relations = growing_relations(g);
    if (last != NOBODY)
        memcpy(clock, a.relations->past[last], sizeof clock);
    for (a.rival = 0; a.rival < g->count && !search_is_over(); a.rival++)
        if (!g->events[a.rival].choice && meets(&a.event, &g->events[a.rival]))
            choose(&a, 0, clock);
}
