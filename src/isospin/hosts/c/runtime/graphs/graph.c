#include "graphs/graph.h"

#include "explore/arena.h"
#include "runtime.h"

#include <string.h>

/* ---------------------------------------------------------------- numbers */

static struct numbered {
    uintptr_t from;
    uint32_t size;
    int space, life;
} *objects;
static unsigned object_count, object_room;

int32_t object_number(int space, uintptr_t from, uint32_t size, int life)
{
    for (unsigned i = 0; i < object_count; i++)
        if (objects[i].from == from && objects[i].size == size && objects[i].space == space && objects[i].life == life)
            return (int32_t)i;
    GROW(objects, object_room, object_count + 1);
    objects[object_count] = (struct numbered){from, size, space, life};
    return (int32_t)object_count++;
}

uint32_t object_size(int32_t number) { return objects[number].size; }

unsigned objects_ever(void) { return object_count; }

bool object_is_image(const struct renaming *renaming, int32_t first, int32_t second)
{
    const struct numbered *one = &objects[first], *other = &objects[second];
    if (one->space != other->space || one->size != other->size || one->life != other->life)
        return false;
    uintptr_t image = one->space == ENDS ? renaming->to[one->from] : renaming_image(renaming, one->from);
    return image == other->from;
}

/* ---------------------------------------------------------------- graphs */

void graph_copy(struct graph *to, const struct graph *from)
{
    GROW(to->events, to->room, from->count + 1);
    GROW(to->marks, to->mark_room, from->mark_count + 1);
    GROW(to->twins, to->twin_room, from->twin_count + 1);
    memcpy(to->events, from->events, (size_t)from->count * sizeof *from->events);
    memcpy(to->marks, from->marks, (size_t)from->mark_count * sizeof *from->marks);
    memcpy(to->twins, from->twins, (size_t)from->twin_count * sizeof *from->twins);
    to->count = from->count;
    to->mark_count = from->mark_count;
    to->twin_count = from->twin_count;
    to->stamps = from->stamps;
    to->fresh = from->fresh;
    to->probe = from->probe;
    to->takes = from->takes;
}

event_number graph_last_of(const struct graph *graph, int thread)
{
    for (event_number e = graph->count - 1; e >= 0; e--)
        if (graph->events[e].thread == thread || graph->events[e].born == thread)
            return e;
    return NOBODY;
}

event_number graph_at(const struct graph *graph, int thread, int nth)
{
    for (event_number e = 0; e < graph->count; e++)
        if (graph->events[e].thread == thread && graph->events[e].nth == nth)
            return e;
    return NOBODY;
}

struct graph_event *graph_add(struct graph *graph, int thread)
{
    event_number previous = graph_last_of(graph, thread);
    GROW(graph->events, graph->room, graph->count + 1);
    struct graph_event *before = previous == NOBODY ? NULL : &graph->events[previous];
    bool first = !before || before->thread != thread;
    struct graph_event *new = &graph->events[graph->count++];
    *new = (struct graph_event){
        .thread = (uint8_t)thread,
        .nth = first ? 0 : before->nth + 1,
        .stamp = graph->stamps++,
        .variable = NOBODY,
        .source = NOBODY,
        .previous = previous,
        .earlier = NOBODY,
        .fence = NOBODY,
        .born = NOBODY,
    };
    new->write_stamp = new->stamp;
    if (!first)
        new->fence = before->kind == OP_FENCE && releases(before->order) ? previous : before->fence;
    return new;
}

event_number graph_latest(const struct graph *graph, int32_t variable)
{
    event_number e = graph->count - 1;
    while (e >= 0 && graph->events[e].variable != variable)
        e--;
    return e;
}

void graph_meet(struct graph *graph, event_number number)
{
    struct graph_event *event = &graph->events[number];
    int count = graph->count;
    graph->count = number;
    event->earlier = graph_latest(graph, event->variable);
    graph->count = count;
}

event_number graph_add_like(struct graph *graph, int thread, const struct graph_event *like)
{
    struct graph_event *new = graph_add(graph, thread);
    new->kind = like->kind;
    new->order = like->order;
    new->access = like->access;
    new->variable = like->variable;
    new->point = like->point;
    new->situation = like->situation;
    new->initial = like->initial;
    new->pc = like->pc;
    if (new->variable != NOBODY)
        graph_meet(graph, graph->count - 1);
    return graph->count - 1;
}

static event_number renumbered(const event_number *to, event_number e) { return e == NOBODY ? NOBODY : to[e]; }

static void renumber(struct graph_event *event, const event_number *to)
{
    event->source = renumbered(to, event->source);
    event->previous = renumbered(to, event->previous);
    event->earlier = renumbered(to, event->earlier);
    event->fence = renumbered(to, event->fence);
    for (int i = 0; i < event->objects; i++)
        event->before[i] = renumbered(to, event->before[i]);
}

/* Places from 1 on without gaps. */
static void close_ranks(struct graph *graph, const struct graph *old, const int32_t *gone, int count)
{
    for (event_number e = 0; e < graph->count; e++) {
        struct graph_event *event = &graph->events[e];
        int32_t less = 0;
        for (int i = 0; event->place && i < count; i++)
            less += old->events[gone[i]].variable == event->variable && old->events[gone[i]].place < event->place;
        event->place -= less;
    }
}

/* Is the write part of an event that is kept taken back? */
static bool unwrites(const struct graph_event *event, bool whole, int32_t since)
{
    if (!event->writes || !event->reads || whole)
        return false;
    return event->stamp == since || (event->write_stamp >= since && event->write_stamp != event->stamp);
}

void graph_keep(struct graph *to, const struct graph *from, const bool *keep, const bool *whole, int32_t since)
{
    static event_number *numbers;
    static int32_t *gone;
    static unsigned numbers_room, gone_room;
    int lost = 0;
    GROW(numbers, numbers_room, from->count);
    GROW(gone, gone_room, from->count);
    GROW(to->events, to->room, from->count + 2);
    GROW(to->marks, to->mark_room, from->mark_count + 1);
    GROW(to->twins, to->twin_room, from->twin_count + 1);
    to->count = to->mark_count = to->twin_count = 0;
    to->stamps = from->stamps;
    to->fresh = NOBODY;
    to->probe = to->takes = false;
    for (event_number e = 0; e < from->count; e++) {
        const struct graph_event *old = &from->events[e];
        bool undone = keep[e] && unwrites(old, whole[e], since);
        numbers[e] = keep[e] ? to->count : NOBODY;
        if (old->place && (!keep[e] || undone))
            gone[lost++] = e;
        if (!keep[e])
            continue;
        struct graph_event *new = &to->events[to->count++];
        *new = *old;
        while (new->earlier != NOBODY && !keep[new->earlier])
            new->earlier = from->events[new->earlier].earlier;
        renumber(new, numbers); /* but for a source that comes behind it: below */
        if (undone) {
            new->write_stamp = PENDING;
            new->place = 0;
        }
    }
    for (event_number e = 0; e < from->count; e++)
        if (keep[e] && from->events[e].source > e)
            to->events[numbers[e]].source = renumbered(numbers, from->events[e].source);
    for (int i = 0; i < from->mark_count; i++)
        if (from->marks[i].stamp < since && keep[from->marks[i].by]) {
            to->marks[to->mark_count] = from->marks[i];
            to->marks[to->mark_count++].by = numbers[from->marks[i].by];
        }
    for (int i = 0; i < from->twin_count; i++)
        if (keep[from->twins[i].birth]) {
            to->twins[to->twin_count] = from->twins[i];
            to->twins[to->twin_count++].birth = numbers[from->twins[i].birth];
        }
    close_ranks(to, from, gone, lost);
}

void graph_without(struct graph *to, const struct graph *from, event_number gone)
{
    static bool *keep;
    static unsigned keep_room;
    GROW(keep, keep_room, from->count);
    for (event_number e = 0; e < from->count; e++)
        keep[e] = e != gone;
    graph_keep(to, from, keep, keep, PENDING);
}

event_number graph_last_write(const struct graph *graph, int32_t variable)
{
    event_number last = NOBODY;
    FOR_EACH_ACCESS (e, graph, variable)
        if (graph->events[e].place > graph_place_of(graph, last))
            last = e;
    return last;
}

event_number graph_write_at(const struct graph *graph, int32_t variable, int32_t place)
{
    if (place)
        FOR_EACH_ACCESS (e, graph, variable)
            if (graph->events[e].place == place)
                return e;
    return NOBODY;
}

/* SOUND: who comes later in a chain has seen all who come earlier, and was inserted after the last of them; a mark
 * takes the place of one that gave way, so this holds for what a revisit keeps, too. */
event_number graph_last_in_chain(const struct graph *graph, int32_t object)
{
    for (event_number e = graph->count - 1; e >= 0; e--)
        for (int i = 0; i < graph->events[e].objects; i++)
            if (graph->events[e].object[i] == object)
                return e;
    return NOBODY;
}

void graph_place(struct graph *graph, event_number number, int32_t place)
{
    struct graph_event *event = &graph->events[number];
    FOR_EACH_ACCESS (e, graph, event->variable)
        graph->events[e].place += graph->events[e].place >= place;
    event->place = place;
}

/* ---------------------------------------------------------------- relations */

static int threads; /* that there ever were */

/* Entries of clocks that are looked at together.  A clock has room for all threads, and zeros for those that never
 * were.
 */
typedef uint16_t lanes __attribute__((vector_size(16), aligned(2), may_alias));
enum { LANES = sizeof(lanes) / sizeof(uint16_t) };
_Static_assert(MOST_THREADS % LANES == 0, "clocks are made of whole lanes");

void clock_join(uint16_t *clock, const uint16_t *more)
{
    for (int t = 0; t < threads; t += LANES) {
        lanes one = *(const lanes *)(clock + t), other = *(const lanes *)(more + t), larger = (lanes)(other > one);
        *(lanes *)(clock + t) = (other & larger) | (one & ~larger);
    }
}

static void make_room(struct relations *r, int count)
{
    if ((unsigned)count <= r->room)
        return;
    unsigned room = r->room;
    GROW(r->order, room, count);
    room = r->room;
    GROW(r->past, room, count);
    room = r->room;
    GROW(r->happened, room, count);
    room = r->room;
    GROW(r->said, room, count);
    GROW(r->done, r->room, count);
}

static void clear(uint16_t *clock)
{
    for (int t = 0; t < threads; t += LANES)
        *(lanes *)(clock + t) = (lanes){0};
}

void relate_direct(uint16_t (*clocks)[MOST_THREADS], const struct graph *g, event_number e)
{
    const struct graph_event *event = &g->events[e];
    uint16_t *past = clocks[e];
    threads = program_threads_ever();
    clear(past);
    if (event->previous != NOBODY)
        clock_join(past, clocks[event->previous]);
    if (event->source != NOBODY)
        clock_join(past, clocks[event->source]);
    for (int i = 0; i < event->objects; i++)
        if (event->before[i] != NOBODY)
            clock_join(past, clocks[event->before[i]]);
    for (thread_set left = event->joins; left; left &= left - 1)
        clock_join(past, clocks[graph_last_of(g, __builtin_ctzl(left))]);
    for (int t = 0; t < threads && event->variable != NOBODY; t++)
        if (event->known[t])
            clock_join(past, clocks[graph_at(g, t, event->known[t] - 1)]);
    past[event->thread] = (uint16_t)(event->nth + 1);
}

static void relate_access(struct relations *r, const struct graph *g, event_number e)
{
    const struct graph_event *event = &g->events[e];
    uint16_t *clock = r->happened[e], *said = r->said[e];
    clear(clock);
    clear(said);
    if (event->previous != NOBODY)
        clock_join(clock, r->happened[event->previous]);
    if (event->reads && event->source != NOBODY && acquires(event->order))
        clock_join(clock, r->said[event->source]);
    clock[event->thread] = (uint16_t)(event->nth + 1);
    if (!event->writes)
        return;
    if (event->reads && event->source != NOBODY)
        clock_join(said, r->said[event->source]);
    if (releases(event->order))
        clock_join(said, clock);
    else if (event->fence != NOBODY)
        clock_join(said, r->happened[event->fence]);
}

/* One that was not executed (graph_add_like): what happened before it was not noted. */
static void relate_fence(struct relations *r, const struct graph *g, event_number e)
{
    const struct graph_event *event = &g->events[e];
    uint16_t *clock = r->happened[e];
    memcpy(clock, r->happened[event->previous], sizeof(uint16_t) * (size_t)threads);
    clock[event->thread] = (uint16_t)(event->nth + 1);
    event_number read = acquires(event->order) ? event->previous : NOBODY;
    for (; read != NOBODY && g->events[read].thread == event->thread; read = g->events[read].previous)
        if (g->events[read].reads && g->events[read].source != NOBODY)
            clock_join(clock, r->said[g->events[read].source]);
}

static void relate_event(struct relations *r, const struct graph *g, event_number e)
{
    if (e == NOBODY || r->done[e])
        return;
    const struct graph_event *event = &g->events[e];
    r->done[e] = true;
    relate_event(r, g, event->previous);
    relate_event(r, g, event->source);
    for (int i = 0; i < event->objects; i++)
        relate_event(r, g, event->before[i]);
    for (thread_set left = event->joins; left; left &= left - 1)
        relate_event(r, g, graph_last_of(g, __builtin_ctzl(left)));
    for (int t = 0; t < threads && event->variable != NOBODY; t++)
        if (event->known[t])
            relate_event(r, g, graph_at(g, t, event->known[t] - 1));
    relate_direct(r->past, g, e);
    r->order[r->count++] = e;
}

void relate_more(struct relations *r, const struct graph *g)
{
    int known = r->count;
    make_room(r, g->count);
    threads = program_threads_ever();
    memset(r->done + known, 0, (size_t)(g->count - known) * sizeof *r->done);
    for (event_number e = known; e < g->count; e++)
        relate_event(r, g, e);
}

void relate(struct relations *r, const struct graph *g)
{
    r->count = 0;
    relate_more(r, g);
}

void relate_more_happened(struct relations *r, const struct graph *g, int from)
{
    for (int i = from; i < r->count; i++) {
        event_number e = r->order[i];
        if (g->events[e].variable != NOBODY)
            relate_access(r, g, e);
        else if (g->events[e].kind == OP_FENCE && !g->events[e].known[g->events[e].thread])
            relate_fence(r, g, e);
        else
            memcpy(r->happened[e], g->events[e].known, sizeof(uint16_t) * (size_t)threads);
    }
}

void relate_happened(struct relations *r, const struct graph *g)
{
    relate(r, g);
    relate_more_happened(r, g, 0);
}
