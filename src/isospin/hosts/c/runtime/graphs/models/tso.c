/* Reference: Owens, Sarkar, Sewell, TPHOLs 2009 (x86-TSO); Alglave, Maranget, Tautschnig, TOPLAS 2014 (its axioms).
 * Differs: a seq_cst store is a store and a fence behind it, as compilers make it; operations on locks and the like are
 * fences, as they are in glibc.  Other orders of C mean nothing here.
 */
#include "graphs/model.h"

#include <stdatomic.h>

/* A store that may wait in the buffer while its thread reads on. */
static bool is_buffered(const struct graph_event *e)
{
    return e->writes && !e->reads && e->order != memory_order_seq_cst;
}

static bool is_barrier(const struct graph_event *e)
{
    if (e->variable != NOBODY)
        return e->reads && (e->writes || e->access.change == COMPARES); /* locked, also where it fails */
    return e->kind != OP_FENCE || e->order >= memory_order_seq_cst;
}

static bool is_store(const struct graph_event *e) { return e->writes && !e->reads; }

static bool is_first(const struct graph *g, event_number e)
{
    event_number previous = g->events[e].previous;
    return previous == NOBODY || g->events[previous].thread != g->events[e].thread;
}

enum nearest { A_STORE, A_STRONG_STORE, NO_STORE };

static bool is_wanted(const struct graph_event *e, enum nearest wanted)
{
    return wanted == NO_STORE ? !is_store(e) : is_store(e) && (wanted == A_STORE || !is_buffered(e));
}

/* The nearest such event before in the thread, or its birth, by an event that is a barrier. */
static event_number nearest(const struct graph *g, event_number e, enum nearest wanted)
{
    while (!is_first(g, e)) {
        e = g->events[e].previous;
        if (is_wanted(&g->events[e], wanted))
            return e;
    }
    return g->events[e].previous;
}

/* What stays of program order: all but a store before a read. */
static void keep_program_order(const struct graph *g, event_number e)
{
    const struct graph_event *event = &g->events[e];
    edge(nearest(g, e, NO_STORE), e);
    edge(nearest(g, e, is_store(event) || is_barrier(event) ? A_STORE : A_STRONG_STORE), e);
}

static bool is_global(const struct graph *g)
{
    edges_begin(g);
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        keep_program_order(g, e);
        if (event->source != NOBODY && g->events[event->source].thread != event->thread)
            edge(event->source, e);
        edges_of_waiting(g, e);
    }
    edges_of_variables(g);
    return edges_acyclic();
}

static event_number last_of_variable(const struct graph *g, event_number e)
{
    int32_t variable = g->events[e].variable;
    while (!is_first(g, e)) {
        e = g->events[e].previous;
        if (g->events[e].variable == variable)
            return e;
    }
    return NOBODY;
}

/* Each variable by itself is sequential. */
static bool is_local(const struct graph *g)
{
    edges_begin(g);
    for (event_number e = 0; e < g->count; e++)
        if (g->events[e].variable != NOBODY) {
            edge(last_of_variable(g, e), e);
            edge(g->events[e].source, e);
        }
    edges_of_variables(g);
    return edges_acyclic();
}

bool is_tso(const struct graph *g) { return is_local(g) && is_global(g); }
