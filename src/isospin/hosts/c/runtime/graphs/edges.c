/* A relation over the events of one graph, as lists; has it a cycle? */
#include "graphs/model.h"

#include "explore/arena.h"
#include "graphs/unordered/registers.h"

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
    event_number *done; /* in the order in which they were */
    int done_count;
    event_number *writes; /* of one variable, by their places */
    unsigned writes_room;
} made;

void edges_begin(const struct graph *graph)
{
    unsigned room = made.node_room;
    GROW(made.first, room, graph->count);
    room = made.node_room;
    GROW(made.done, room, graph->count);
    GROW(made.state, made.node_room, graph->count);
    made.nodes = graph->count;
    made.count = 0;
    memset(made.first, -1, (size_t)graph->count * sizeof *made.first);
}

void edge(event_number from, event_number to)
{
    if (from == NOBODY || to == NOBODY)
        return;
    GROW(made.arcs, made.room, made.count + 1);
    made.arcs[made.count] = (struct arc){to, made.first[from]};
    made.first[from] = (int32_t)made.count++;
}

void edges_of_waiting(const struct graph *g, event_number e)
{
    const struct graph_event *event = &g->events[e];
    for (int i = 0; i < event->objects; i++)
        edge(event->before[i], e);
    for (thread_set left = event->joins; left; left &= left - 1)
        edge(graph_last_of(g, __builtin_ctzl(left)), e);
}

/* The writes of a variable by their places, and how many there are. */
static int32_t sort_writes(const struct graph *g, int32_t variable)
{
    int32_t count = 0;
    for (event_number e = accesses.first[variable]; e != NOBODY; e = accesses.next[e]) {
        int32_t place = g->events[e].place;
        if (!place)
            continue;
        GROW(made.writes, made.writes_room, place + 1);
        made.writes[place] = e;
        count = place > count ? place : count;
    }
    return count;
}

/* A load of a counter comes behind what it sees, and before all else that is added. */
static void edges_of_counter(const struct graph *g, int32_t variable)
{
    for (event_number load = accesses.first[variable]; load != NOBODY; load = accesses.next[load])
        for (event_number add = accesses.first[variable]; add != NOBODY; add = accesses.next[add]) {
            if (!g->events[load].reads || !g->events[add].place)
                continue;
            bool seen = is_in(g->events[load].known, &g->events[add]);
            edge(seen ? add : load, seen ? load : add);
        }
}

static void edges_of(const struct graph *g, int32_t variable)
{
    int32_t last = sort_writes(g, variable);
    for (event_number e = accesses.first[variable]; e != NOBODY; e = accesses.next[e]) {
        const struct graph_event *event = &g->events[e];
        int32_t seen = event->reads ? graph_place_of(g, event->source) : last;
        if (event->place && event->place < last)
            edge(e, made.writes[event->place + 1]);
        if (seen < last && made.writes[seen + 1] != e)
            edge(e, made.writes[seen + 1]);
    }
}

void edges_of_variables(const struct graph *g)
{
    for (int i = 0; i < accesses.count; i++) {
        int32_t variable = accesses.variables[i];
        if (is_counter(variable))
            edges_of_counter(g, variable);
        else if (!is_register(variable))
            edges_of(g, variable);
    }
}

void edges_of_registers(const struct graph *g)
{
    for (int i = 0; i < accesses.count; i++)
        if (is_register(accesses.variables[i]))
            edges_of(g, accesses.variables[i]);
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
    made.done[made.done_count++] = node;
    return false;
}

bool edges_acyclic(void)
{
    made.done_count = 0;
    memset(made.state, 0, (size_t)made.nodes);
    for (event_number e = 0; e < made.nodes; e++)
        if (!made.state[e] && leads_back(e))
            return false;
    return true;
}

void edges_sort(event_number *order)
{
    for (int i = 0; i < made.done_count; i++)
        order[i] = made.done[made.done_count - 1 - i];
}
