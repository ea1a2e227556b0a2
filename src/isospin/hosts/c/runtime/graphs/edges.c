/* A relation over the events of one graph, as lists; has it a cycle? */
#include "graphs/model.h"

#include "explore/arena.h"

#include <string.h>

static struct {
    int nodes;
    unsigned count, room, node_room;
    struct arc {
        event_number to;
        int32_t next;
    } *arcs;
    int32_t *first;
    uint8_t *state; /* 0: not seen, 1: on the way, 2: done */
} made;

void edges_begin(const struct graph *graph)
{
    unsigned room = made.node_room;
    GROW(made.first, room, graph->count);
    GROW(made.state, made.node_room, graph->count);
    made.nodes = graph->count;
    made.count = 0;
    memset(made.first, -1, (size_t)graph->count * sizeof *made.first);
    memset(made.state, 0, (size_t)graph->count);
}

void edge(event_number from, event_number to)
{
    if (from == NOBODY || to == NOBODY)
        return;
    GROW(made.arcs, made.room, made.count + 1);
    made.arcs[made.count] = (struct arc){to, made.first[from]};
    made.first[from] = (int32_t)made.count++;
}

void edges_of_variables(const struct graph *g)
{
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (event->variable == NOBODY)
            continue;
        if (event->place)
            edge(e, graph_write_at(g, event->variable, event->place + 1));
        if (event->reads) {
            event_number next = graph_write_at(g, event->variable, graph_place_of(g, event->source) + 1);
            if (next != e)
                edge(e, next);
        }
    }
}

static bool leads_back(event_number node)
{
    made.state[node] = 1;
    for (int32_t a = made.first[node]; a >= 0; a = made.arcs[a].next) {
        uint8_t state = made.state[made.arcs[a].to];
        if (state == 1 || (state == 0 && leads_back(made.arcs[a].to)))
            return true;
    }
    made.state[node] = 2;
    return false;
}

bool edges_acyclic(void)
{
    for (event_number e = 0; e < made.nodes; e++)
        if (!made.state[e] && leads_back(e))
            return false;
    return true;
}
