/* Reference: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022 (TruSt: backward revisits, maximal extensions).
 * Differs: updates have two parts, and their write comes in directly behind their read, or behind the revisit that
 * changed it.  Awaits: what fails to end one is no source, unless for ever (docs/explanation/weak-memory.md).
 */
#include "graphs/graphs.h"

#include "await/await.h"
#include "explore/arena.h"
#include "explore/explore.h"
#include "graphs/growing.h"
#include "graphs/later.h"
#include "graphs/model.h"
#include "graphs/unordered/registers.h"

#include <string.h>

/* What is asked about: the graph, what the new event knows of, and from where on everything has to be canonical. */
struct question {
    const struct graph *graph;
    const uint16_t *past;
    event_number new;
};

static bool is_past(const struct question *q, event_number e)
{
    return e != q->new && is_in(q->past, &q->graph->events[e]);
}

/* Was it there when something came in at a stamp, or is it kept? */
static bool was_there(const struct question *q, event_number e, int32_t stamp)
{
    return q->graph->events[e].stamp < stamp || is_past(q, e);
}

static bool was_written(const struct question *q, event_number e, int32_t stamp)
{
    return e != q->new && (q->graph->events[e].write_stamp < stamp || is_past(q, e));
}

static bool was_done(const struct question *q, event_number e, int32_t stamp)
{
    return q->graph->events[e].variable == NOBODY ? was_there(q, e, stamp) : was_written(q, e, stamp);
}

/* ---------------------------------------------------------------- accesses of memory */

/* Is there a mark from before a stamp: something gave way to this event? */
static bool gave_way_to(const struct graph *g, event_number event, int32_t stamp)
{
    for (int i = 0; i < g->mark_count; i++)
        if (g->marks[i].by == event && g->marks[i].stamp < stamp)
            return true;
    return false;
}

static bool is_last_write(const struct question *q, event_number number)
{
    const struct graph *g = q->graph;
    const struct graph_event *event = &g->events[number];
    int32_t stamp = event->write_stamp;
    if (gave_way_to(g, number, stamp))
        return false;
    FOR_EACH_ACCESS (e, g, event->variable) {
        const struct graph_event *other = &g->events[e];
        if (e == number)
            continue;
        bool seen = other->source == number || is_in(other->known, event);
        if (other->reads && seen && was_there(q, e, stamp))
            return false;
        if (is_unordered(event->variable))
            continue;
        /* An await that sees an old write stands behind it; newer ones were there when it was read. */
        bool older = event->reads && was_written(q, e, event->stamp);
        if (other->place > event->place && was_written(q, e, stamp) && !older)
            return false;
    }
    return true;
}

static bool counts_lost(const struct graph *g, const struct graph_event *load, const bool *keep)
{
    for (event_number e = 0; e < g->count; e++)
        if (!keep[e] && g->events[e].variable == load->variable && is_in(load->known, &g->events[e]))
            return true;
    return false;
}

/* Does everything that is kept see what is kept? */
static bool is_closed(const struct graph *g, const bool *keep)
{
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (keep[e] && event->source != NOBODY && !keep[event->source])
            return false;
        if (keep[e] && is_counter(event->variable) && event->reads && counts_lost(g, event, keep))
            return false;
    }
    return true;
}

/* Can it go on with this source?  If that was never tried, it is, and if it turns out to fail, all starts again. */
static bool goes_on(struct graph *g, event_number event, event_number source)
{
    if (!admits(g, event, source))
        return false;
    if (!await_passes(g->events[event].point, (uint64_t)g->events[event].seen))
        offer_probe(g);
    return true;
}

/* Only what was there when an event came in, and the event, without a source; NOBODY: that is not closed. */
static event_number come_again(struct graph *made, const struct question *q, event_number number)
{
    static bool *keep, *whole;
    static unsigned keep_room, whole_room;
    const struct graph *g = q->graph;
    const struct graph_event *event = &g->events[number];
    GROW(keep, keep_room, g->count);
    GROW(whole, whole_room, g->count);
    for (event_number e = 0; e < g->count; e++) {
        whole[e] = is_past(q, e);
        keep[e] = e != q->new && was_there(q, e, event->stamp);
    }
    if (!is_closed(g, keep))
        return NOBODY;
    graph_keep(made, g, keep, whole, event->stamp);
    return graph_add_like(made, event->thread, event);
}

static bool would_see(const struct question *q, event_number number, event_number source)
{
    static struct graph made;
    const struct graph_event *event = &q->graph->events[source];
    event_number again = come_again(&made, q, number);
    return again == NOBODY || goes_on(&made, again, graph_at(&made, event->thread, event->nth));
}

/* Would an await rather have seen another write? */
static bool is_better(const struct question *q, event_number number, event_number source)
{
    const struct graph_event *event = &q->graph->events[number];
    int how;
    if (!event->point)
        return true;
    return !await_fails(event->point, (uint64_t)q->graph->events[source].written, &how) && would_see(q, number, source);
}

/* Of two writes, or the initial value, the one that a read of a register sees rather. */
static bool is_rather(const struct graph *g, event_number one, event_number other)
{
    if (one == NOBODY || other == NOBODY)
        return one == NOBODY && other != NOBODY;
    const struct graph_event *a = &g->events[one], *b = &g->events[other];
    return a->thread == b->thread ? a->nth < b->nth : a->thread < b->thread;
}

/* Does the read of a register see the first write that it can, by the names of writes?  SOUND: that depends on nothing
 * but the graph as it was, neither on places nor on when anything was inserted. */
static bool sees_first(const struct question *q, event_number number)
{
    static struct graph made, tried;
    const struct graph *g = q->graph;
    const struct graph_event *event = &g->events[number];
    if (event->source != NOBODY && !was_written(q, event->source, event->stamp))
        return false;
    event_number again = event->source == NOBODY ? NOBODY : come_again(&made, q, number);
    for (event_number e = NOBODY; again != NOBODY && e < again; e++) {
        if (e != NOBODY && (made.events[e].variable != event->variable || !made.events[e].place))
            continue;
        event_number seen = same_event(&made, &g->events[event->source]);
        if (!is_rather(&made, e, seen))
            continue;
        graph_copy(&tried, &made);
        if (admits(&tried, again, e))
            return false;
    }
    return true;
}

/* Does the load of a counter see all additions that were there, and no others? */
static bool counts_all(const struct question *q, const struct graph_event *load)
{
    const struct graph *g = q->graph;
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *add = &g->events[e];
        if (add->variable == load->variable && add->place && was_written(q, e, load->stamp) != is_in(load->known, add))
            return false;
    }
    return true;
}

/* Of what was there when it came in: does an await see the last write, and is there none with which it could go on?
 * SOUND: the search would not have inserted it by itself; that it did, and what it saw then was taken back, is all that
 * is left of the graph in which it is not there.  Who is kept may need that: with what the await saw before, it would
 * not be consistent. */
static bool has_to_wait_there(const struct question *q, event_number number)
{
    static struct graph made, tried;
    const struct graph *g = q->graph;
    const struct graph_event *event = &g->events[number];
    event_number again = come_again(&made, q, number);
    if (again == NOBODY)
        return false;
    event_number last = graph_last_write(&made, event->variable);
    if (last != (event->source == NOBODY ? NOBODY : same_event(&made, &g->events[event->source])))
        return false;
    for (int32_t place = graph_place_of(&made, last); place >= 0; place--) {
        graph_copy(&tried, &made);
        if (goes_on(&tried, again, graph_write_at(&tried, event->variable, place)))
            return false;
    }
    return true;
}

static bool sees_last(const struct question *q, event_number number)
{
    const struct graph *g = q->graph;
    const struct graph_event *event = &g->events[number];
    if (is_counter(event->variable))
        return counts_all(q, event);
    if (is_register(event->variable))
        return sees_first(q, number);
    if (event->source != NOBODY && !was_written(q, event->source, event->stamp))
        return false;
    if (event->stuck)
        return has_to_wait_there(q, number);
    int32_t place = graph_place_of(g, event->source);
    FOR_EACH_ACCESS (e, g, event->variable)
        if (e != number && g->events[e].place > place && was_written(q, e, event->stamp) && is_better(q, number, e))
            return false;
    return true;
}

/* ---------------------------------------------------------------- operations on other objects */

static bool touches(const struct graph_event *event, int32_t object)
{
    for (int i = 0; i < event->objects; i++)
        if (event->object[i] == object)
            return true;
    return false;
}

static bool is_last_of_chain(const struct question *q, const struct relations *r, event_number number, int i)
{
    const struct graph *g = q->graph;
    const struct graph_event *event = &g->events[number];
    event_number before = event->before[i];
    if (before != NOBODY && !was_there(q, before, event->stamp))
        return false;
    for (event_number e = 0; e < g->count; e++)
        if (e != number && e != before && e != q->new && touches(&g->events[e], event->object[i]) &&
            (before == NOBODY || is_in(r->past[e], &g->events[before])) && was_there(q, e, event->stamp))
            return false;
    return true;
}

static bool is_last_operation(const struct question *q, const struct relations *r, event_number number)
{
    const struct graph *g = q->graph;
    const struct graph_event *event = &g->events[number];
    if (event->choice || gave_way_to(g, number, event->stamp))
        return false;
    for (int i = 0; i < event->objects; i++)
        if (!is_last_of_chain(q, r, number, i))
            return false;
    return true;
}

/* ---------------------------------------------------------------- canonical */

/* Of all that is not as the search would have inserted it by itself: writes and operations, then reads, which cost
 * more. What came in before `newest` does not count. */
static int32_t newest_write_elsewhere(const struct question *q, const struct relations *r, int32_t newest)
{
    const struct graph *g = q->graph;
    for (event_number e = g->count - 1; e >= 0; e--) {
        const struct graph_event *event = &g->events[e];
        if (e == q->new || event->write_stamp <= newest || is_past(q, e))
            continue;
        if (event->variable == NOBODY ? !is_last_operation(q, r, e) : event->place && !is_last_write(q, e))
            newest = event->write_stamp;
    }
    return newest;
}

static int32_t newest_read_elsewhere(const struct question *q, int32_t newest)
{
    const struct graph *g = q->graph;
    for (event_number e = g->count - 1; e >= 0 && g->events[e].stamp > newest; e--)
        if (e != q->new && g->events[e].reads && !is_past(q, e) && !sees_last(q, e))
            return g->events[e].stamp;
    return newest;
}

static int32_t newest_mark_elsewhere(const struct question *q, int32_t newest)
{
    const struct graph *g = q->graph;
    for (int i = 0; i < g->mark_count; i++)
        if (g->marks[i].stamp > newest && !was_done(q, g->marks[i].by, g->marks[i].stamp))
            newest = g->marks[i].stamp;
    return newest;
}

/* The newest stamp from `since` on with something that the search would not have inserted by itself, but what the new
 * event knows of; less than `since`: there is none.  Whether something is as it would be inserted does not depend on
 * how much is asked about, so one look is enough for all that a write could take back. */
static int32_t newest_elsewhere(const struct question *q, const struct relations *r, int32_t since)
{
    int32_t newest = newest_mark_elsewhere(q, since - 1);
    return newest_read_elsewhere(q, newest_write_elsewhere(q, r, newest));
}

bool is_canonical(const struct graph *g, const struct relations *r, int32_t since, const uint16_t *past,
                  event_number new)
{
    struct question q = {g, past, new};
    return newest_elsewhere(&q, r, since) < since;
}

/* ---------------------------------------------------------------- revisits */

/* All places where a write may stand in modification order. */
static void offer_places(struct graph *g, event_number write, bool last_only)
{
    static struct graph made;
    const struct graph_event *event = &g->events[write];
    int32_t newest = graph_place_of(g, graph_last_write(g, event->variable)) + 1, oldest = last_only ? newest : 1;
    if (event->reads && last_only && graph_place_of(g, event->source) + 1 != newest)
        return;
    if (event->reads)
        newest = oldest = graph_place_of(g, event->source) + 1;
    else if (is_unordered(event->variable))
        oldest = newest;
    for (int32_t place = newest; place >= oldest; place--) {
        graph_copy(&made, g);
        graph_place(&made, write, place);
        offer(&made);
    }
}

void undo_read(struct graph *made, const struct graph *g, event_number read, event_number write, const uint16_t *past,
               bool with_read)
{
    static bool *keep, *whole;
    static unsigned keep_room, whole_room;
    struct question q = {g, past, write};
    int32_t since = g->events[read].stamp;
    GROW(keep, keep_room, g->count);
    GROW(whole, whole_room, g->count);
    for (event_number e = 0; e < g->count; e++) {
        whole[e] = e == write || is_past(&q, e);
        keep[e] = whole[e] || g->events[e].stamp < since + with_read;
    }
    graph_keep(made, g, keep, whole, since);
}

/* Two updates saw the same write, so only one of them can have. */
static bool saw_the_same(const struct graph_event *one, const struct graph_event *other)
{
    return one->reads && one->writes && other->reads && one->source == other->source;
}

/* The graph in which a read sees the write that has come in. */
static void take_back(const struct graph *g, event_number read, event_number write, const uint16_t *past)
{
    static struct graph made;
    undo_read(&made, g, read, write, past, true);
    event_number again = same_event(&made, &g->events[read]), by = same_event(&made, &g->events[write]);
    set_source(&made, again, by);
    made.events[again].yields = saw_the_same(&g->events[read], &g->events[write]);
    made.fresh = again;
    later_because(&g->events[read], &g->events[write]);
    offer_places(&made, by, made.events[again].stuck);
}

bool wait_behind(struct graph *g, const struct graph_event *update, event_number by)
{
    static struct graph tried;
    for (int32_t place = graph_place_of(g, graph_last_write(g, update->variable)); place >= 0; place--) {
        graph_copy(&tried, g);
        event_number again = graph_add_like(&tried, update->thread, update);
        if (goes_on(&tried, again, graph_write_at(&tried, update->variable, place)))
            return false;
    }
    GROW(g->marks, g->mark_room, g->mark_count + 1);
    g->marks[g->mark_count++] = (struct mark){update->stamp, update->thread, update->nth, by};
    offer(g);
    return true;
}

static bool make_way(const struct graph *g, event_number read, event_number write, const uint16_t *past)
{
    static struct graph made;
    undo_read(&made, g, read, write, past, false);
    event_number by = same_event(&made, &g->events[write]);
    graph_place(&made, by, graph_place_of(&made, made.events[by].source) + 1);
    later_because(&g->events[read], &g->events[write]);
    return wait_behind(&made, &g->events[read], by);
}

/* Is it an update that would fail, if it saw the write, though both saw the same one? */
static bool has_to_wait(const struct graph_event *read, const struct graph_event *write)
{
    int how;
    return read->point && saw_the_same(read, write) && await_fails(read->point, (uint64_t)write->written, &how);
}

/* Is there anybody who could see it? */
static bool has_readers(const struct graph *g, const struct graph_event *write)
{
    FOR_EACH_ACCESS (r, g, write->variable)
        if (g->events[r].reads && g->events[r].thread != write->thread)
            return true;
    return false;
}

/* ---------------------------------------------------------------- all of them */

/* Those that can be taken back by the write, as far as the two are concerned, the newest first; how many? */
static int find_readers(const struct graph *g, event_number write, const uint16_t *past, event_number **found)
{
    static event_number *readers;
    static unsigned room;
    int count = 0;
    FOR_EACH_ACCESS (r, g, g->events[write].variable) {
        if (r == write || !g->events[r].reads || is_in(past, &g->events[r]))
            continue;
        GROW(readers, room, count + 1);
        readers[count++] = r;
    }
    *found = readers;
    return count;
}

void revisit_by(const struct graph *g, event_number write)
{
    const struct graph_event *event = &g->events[write];
    if (!has_readers(g, event))
        return;
    if (is_counter(event->variable)) {
        revisit_loads(g, write);
        return;
    }
    const struct relations *relations = growing_relations(g);
    const uint16_t *past = relations->past[write];
    event_number *readers;
    int left = find_readers(g, write, past, &readers);
    if (!left)
        return;
    struct question q = {g, past, write};
    int32_t elsewhere = newest_elsewhere(&q, relations, g->events[readers[left - 1]].stamp);
    while (left-- && !search_is_over()) {
        event_number r = readers[left];
        if (g->events[r].stamp <= elsewhere)
            continue;
        if (!has_to_wait(&g->events[r], event) || !make_way(g, r, write, past))
            take_back(g, r, write, past);
    }
}
