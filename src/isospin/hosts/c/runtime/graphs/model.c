#include "graphs/model.h"

struct relations related;

static bool is_atomic(const struct graph *g)
{
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (event->reads && event->place && event->place != graph_place_of(g, event->source) + 1)
            return false;
    }
    return true;
}

/* The place in modification order up to which an event has seen a variable. */
static int32_t seen_up_to(const struct graph *g, const struct graph_event *event)
{
    return event->place ? event->place : graph_place_of(g, event->source);
}

/* One event and one that happens before it. */
static bool in_order(const struct graph *g, const struct graph_event *first, const struct graph_event *second)
{
    int32_t known = seen_up_to(g, first);
    if (second->place && second->place <= known)
        return false;
    return !second->reads || graph_place_of(g, second->source) >= known;
}

bool is_coherent(const struct graph *g, const struct relations *r)
{
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (event->variable == NOBODY)
            continue;
        for (event_number f = 0; f < g->count; f++) {
            const struct graph_event *other = &g->events[f];
            if (f != e && other->variable == event->variable && is_in(r->happened[e], other) &&
                !in_order(g, other, event))
                return false;
        }
    }
    return true;
}

bool is_consistent(const struct graph *g)
{
    if (!is_atomic(g))
        return false;
    switch (memory_model) {
    case MEMORY_TSO:
        return is_tso(g);
    case MEMORY_RC11:
        return is_rc11(g);
    default:
        return is_sequential(g);
    }
}
