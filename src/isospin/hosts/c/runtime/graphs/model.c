#include "graphs/model.h"

#include "explore/arena.h"
#include "graphs/growing.h"
#include "graphs/unordered/registers.h"

#include <string.h>

struct relations related;
struct accesses accesses;

static void index_accesses(const struct graph *g)
{
    static unsigned variable_room, first_room, next_room;
    unsigned before = first_room;
    GROW(accesses.first, first_room, objects_ever());
    GROW(accesses.variables, variable_room, objects_ever());
    GROW(accesses.next, next_room, g->count);
    if (first_room != before)
        memset(accesses.first, -1, first_room * sizeof *accesses.first);
    while (accesses.count)
        accesses.first[accesses.variables[--accesses.count]] = NOBODY;
    for (event_number e = g->count - 1; e >= 0; e--) {
        int32_t variable = g->events[e].variable;
        if (variable == NOBODY)
            continue;
        if (accesses.first[variable] == NOBODY)
            accesses.variables[accesses.count++] = variable;
        accesses.next[e] = accesses.first[variable];
        accesses.first[variable] = e;
    }
}

static bool is_atomic(const struct graph *g)
{
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (event->reads && event->place && event->place != graph_place_of(g, event->source) + 1)
            return false;
    }
    return true;
}

/* One event and one that happens before it. */
static bool in_order(const struct graph *g, const struct graph_event *first, const struct graph_event *second)
{
    int32_t known = place_seen(g, first);
    if (second->place && second->place <= known)
        return false;
    return !second->reads || graph_place_of(g, second->source) >= known;
}

/* Is an access in order with all of its variable that happen before it? */
static bool fits(const struct graph *g, const struct relations *r, event_number e)
{
    const struct graph_event *event = &g->events[e];
    for (event_number f = accesses.first[event->variable]; f != NOBODY; f = accesses.next[f])
        if (f != e && is_in(r->happened[e], &g->events[f]) && !in_order(g, &g->events[f], event))
            return false;
    return true;
}

bool is_coherent(const struct graph *g, const struct relations *r)
{
    for (event_number e = g->count - 1; e >= 0; e--)
        if (g->events[e].variable != NOBODY && !fits(g, r, e))
            return false;
    return true;
}

static bool is_any_register(void)
{
    for (int i = 0; i < accesses.count; i++)
        if (is_register(accesses.variables[i]))
            return true;
    return false;
}

bool is_consistent(struct graph *g)
{
    if (!is_atomic(g))
        return false;
    index_accesses(g);
    switch (memory_model) {
    case MEMORY_TSO:
        return is_sequential(g) || is_tso(g); /* what is sequential is all else, and soon seen to be */
    case MEMORY_RC11:
        return is_sequential(g) || is_rc11(g);
    default:
        return is_sequential(g) || (is_any_register() && may_be_sequential(g) && registers_fit(g));
    }
}

bool find_total(const struct graph *g, const event_number **order)
{
    static event_number *sorted;
    static unsigned room;
    GROW(sorted, room, g->count);
    *order = sorted;
    index_accesses(g);
    if (!is_sequential(g))
        return false;
    edges_sort(sorted);
    return true;
}

bool find_sequence(const struct graph *g, const event_number **order)
{
    if (has_counters(g))
        return find_total(g, order);
    *order = growing_relations(g)->order;
    return true;
}
