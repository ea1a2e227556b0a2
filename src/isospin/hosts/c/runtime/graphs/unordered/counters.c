/* Counters (registers.h) over execution graphs.
 *
 * Reference: as revisit.c.
 * Differs: a load sees a set of additions.  It is taken back by one of them that has come in behind it; others that
 * came in behind it may be in the set already.  By itself it sees all that are there.  So the set that it sees
 * afterwards says which was the last to take it back, and what it saw before: nothing is repeated.
 */
#include "graphs/graphs.h"

#include "explore/explore.h"
#include "graphs/growing.h"
#include "graphs/later.h"
#include "graphs/unordered/registers.h"

#include <string.h>

static bool adds_to(const struct graph_event *event, int32_t variable)
{
    return event->variable == variable && event->place;
}

/* Of each thread up to where it adds to a variable; `clock`: only what is in it. */
static void find_additions(const struct graph *g, int32_t variable, const uint16_t *clock, uint16_t *found)
{
    memset(found, 0, sizeof(uint16_t) * MOST_THREADS);
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (adds_to(event, variable) && (!clock || is_in(clock, event)) && event->nth >= found[event->thread])
            found[event->thread] = (uint16_t)(event->nth + 1);
    }
}

/* What a load of a counter may see, at least and at most; `but` that. */
struct counting {
    const struct graph *graph;
    event_number load;
    uint16_t least[MOST_THREADS], most[MOST_THREADS];
    const uint16_t *but;
};

/* The value that it sees. */
static void add_up(struct graph *g, event_number load)
{
    struct graph_event *event = &g->events[load];
    event->seen = event->initial;
    for (event_number e = 0; e < g->count; e++)
        if (adds_to(&g->events[e], event->variable) && is_in(event->known, &g->events[e]))
            atomic_result(&g->events[e].access, object_size(event->variable), event->seen, &event->seen);
}

static void offer_count(const struct counting *c, const uint16_t *known)
{
    static struct graph made;
    if (c->but && !memcmp(known, c->but, sizeof c->most))
        return;
    graph_copy(&made, c->graph);
    memcpy(made.events[c->load].known, known, sizeof c->most);
    add_up(&made, c->load);
    offer(&made);
}

/* All that it may see of the threads from one on. */
static void choose_additions(const struct counting *c, int thread, uint16_t *known)
{
    int32_t variable = c->graph->events[c->load].variable;
    if (thread == program_threads_ever()) {
        offer_count(c, known);
        return;
    }
    known[thread] = c->least[thread];
    choose_additions(c, thread + 1, known);
    for (event_number e = 0; e < c->graph->count && !search_is_over(); e++) {
        const struct graph_event *event = &c->graph->events[e];
        if (event->thread != thread || !adds_to(event, variable) || is_in(c->least, event) || !is_in(c->most, event))
            continue;
        known[thread] = (uint16_t)(event->nth + 1);
        choose_additions(c, thread + 1, known);
    }
}

void count_additions(struct graph *g, event_number load)
{
    struct counting c = {.graph = g, .load = load, .but = c.most};
    uint16_t known[MOST_THREADS] = {0};
    int32_t variable = g->events[load].variable;
    event_number newest = graph_last_write(g, variable);
    later_because(&g->events[load], newest == NOBODY ? NULL : &g->events[newest]);
    set_source(g, load, NOBODY);
    find_additions(g, variable, growing_relations(g)->past[load], c.least);
    find_additions(g, variable, NULL, c.most);
    choose_additions(&c, 0, known);
    memcpy(g->events[load].known, c.most, sizeof c.most);
    add_up(g, load);
}

/* The load sees what has come in, with what it needs and what the load has been taken back for before; of all that was
 * there before it, it sees whatever it can. */
static void take_load_back(const struct graph *g, event_number load, event_number write, const uint16_t *clock)
{
    static struct graph made;
    struct counting c = {.graph = &made};
    uint16_t known[MOST_THREADS] = {0};
    undo_read(&made, g, load, write, clock, true);
    event_number by = same_event(&made, &g->events[write]);
    int32_t variable = made.events[by].variable;
    c.load = made.fresh = same_event(&made, &g->events[load]);
    graph_place(&made, by, graph_place_of(&made, graph_last_write(&made, variable)) + 1);
    find_additions(&made, variable, clock, c.least);
    find_additions(&made, variable, NULL, c.most);
    later_because(&g->events[load], &g->events[write]);
    choose_additions(&c, 0, known);
}

/* Did it come in behind the load, which sees it all the same? */
static bool was_counted_late(const struct graph_event *load, const struct graph_event *event)
{
    return adds_to(event, load->variable) && event->stamp > load->stamp && is_in(load->known, event);
}

static bool is_needed_by_another(const struct graph *g, const struct relations *r, event_number load, event_number add)
{
    for (event_number e = 0; e < g->count; e++)
        if (e != add && was_counted_late(&g->events[load], &g->events[e]) && is_in(r->past[e], &g->events[add]))
            return true;
    return false;
}

/* Of all additions for which a load is taken back, the last one by its thread does it, of those that no other one
 * needs.  SOUND: that depends on the graph that is made, not on how it came to be. */
static bool is_last_counted(const struct graph *g, const struct relations *r, event_number load, event_number write)
{
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (was_counted_late(&g->events[load], event) && event->thread > g->events[write].thread &&
            !is_in(r->past[write], event) && !is_needed_by_another(g, r, load, e))
            return false;
    }
    return true;
}

static void revisit_load(const struct graph *g, const struct relations *r, event_number load, event_number write)
{
    uint16_t clock[MOST_THREADS];
    memcpy(clock, r->past[write], sizeof clock);
    for (event_number e = 0; e < g->count; e++)
        for (int t = 0; was_counted_late(&g->events[load], &g->events[e]) && t < program_threads_ever(); t++)
            if (r->past[e][t] > clock[t])
                clock[t] = r->past[e][t];
    if (is_last_counted(g, r, load, write) && is_canonical(g, r, g->events[load].stamp, clock, write))
        take_load_back(g, load, write, clock);
}

void revisit_loads(const struct graph *g, event_number write)
{
    const struct relations *relations = growing_relations(g);
    for (event_number e = 0; e < g->count && !search_is_over(); e++)
        if (g->events[e].reads && g->events[e].variable == g->events[write].variable &&
            !is_in(relations->past[write], &g->events[e]))
            revisit_load(g, relations, e, write);
}
