/* Reference: Shasha, Snir, TOPLAS 1988: program order, sources, modification order and "before the next write" have no
 * cycle.
 * Differs: -.
 */
#include "graphs/model.h"

static void make_edges(const struct graph *g)
{
    edges_begin(g);
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        edge(event->previous, e);
        edge(event->source, e);
        edges_of_waiting(g, e);
    }
    edges_of_variables(g);
}

bool may_be_sequential(const struct graph *g)
{
    make_edges(g);
    return edges_acyclic();
}

bool is_sequential(const struct graph *g)
{
    make_edges(g);
    edges_of_registers(g);
    return edges_acyclic();
}

bool is_overwritten(const struct graph *g, const struct relations *r, event_number source)
{
    const struct graph_event *event = &g->events[g->count - 1];
    if (memory_model != MEMORY_SC || event->previous == NOBODY)
        return false;
    for (event_number w = event->earlier; w != NOBODY; w = g->events[w].earlier)
        if (w != source && g->events[w].place && is_in(r->past[event->previous], &g->events[w]) &&
            (source == NOBODY || is_in(r->past[w], &g->events[source])))
            return true;
    return false;
}
