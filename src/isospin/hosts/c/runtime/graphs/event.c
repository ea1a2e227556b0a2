/* From the pending operation of a thread to an event of a graph, and back to a step of the program. */
#include "graphs/graphs.h"

#include "await/await.h"
#include "explore/arena.h"
#include "explore/program.h"
#include "graphs/model.h"
#include "graphs/unordered/registers.h"
#include "race/race.h"
#include "runtime.h"

#include <string.h>

bool is_access(const struct operation *op, int thread)
{
    bool memory = op->kind == OP_READ || op->kind == OP_WRITE || op->kind == OP_UPDATE;
    return memory && op->span[0].space == MEMORY && history_pending(thread)->change != PLAIN;
}

/* What is under our control only as long as everything is interleaved. */
static void refuse_unseen(const struct operation *op, int thread)
{
    current = thread_of(thread);
    if (op->kind == OP_ONCE)
        learn_incomplete_at("a static variable of C++ is used, which is explored under interleaving only");
}

void describe_event(struct graph_event *event, int thread)
{
    const struct operation *op = program_pending(thread);
    event->kind = op->kind;
    event->pc = op->pc;
    event->joins = op->joins;
    event->order = history_pending(thread)->order;
    bool straight, access = is_access(op, thread);
    if (access || op->kind == OP_FENCE)
        event->situation = program_situation(thread, &straight);
    if (access) {
        const struct span *span = &op->span[0];
        event->access = *history_pending(thread);
        event->variable = object_number(MEMORY, span->from, span->size, history_life(span->from));
        event->point = program_await(thread);
        event->initial = history_initial(span->from, span->size);
        return;
    }
    for (int i = 0; i < op->spans; i++) {
        const struct span *span = &op->span[i];
        if (span->space == MEMORY)
            refuse_unseen(op, thread);
        event->object[event->objects++] = object_number(span->space, span->from, 0, 0);
    }
}

int newborn(thread_set before)
{
    for (int t = 0; t < program_threads(); t++)
        if (!(before >> t & 1) && program_pending(t))
            return t;
    return NOBODY;
}

thread_set living(void)
{
    thread_set found = 0;
    for (int t = 0; t < program_threads(); t++)
        if (program_pending(t))
            found |= (thread_set)1 << t;
    return found;
}

/* ---------------------------------------------------------------- what happens before */

static struct { /* of each thread: the numbers that its events had for the race detector */
    uint32_t *epochs;
    unsigned count, room;
} past[MOST_THREADS];

void forget_epochs(void)
{
    for (int t = 0; t < MOST_THREADS; t++)
        past[t].count = 0;
}

void note_epoch(int thread)
{
    GROW(past[thread].epochs, past[thread].room, past[thread].count + 1);
    past[thread].epochs[past[thread].count++] = race_clock(thread)[thread];
}

void note_known(struct graph_event *event)
{
    const uint32_t *clock = race_clock(event->thread);
    memset(event->known, 0, sizeof event->known);
    for (int t = 0; t < program_threads_ever(); t++) {
        unsigned count = past[t].count;
        while (count && past[t].epochs[count - 1] > clock[t])
            count--;
        event->known[t] = (uint16_t)count;
    }
    event->known[event->thread] = (uint16_t)(event->nth + 1);
}

/* ---------------------------------------------------------------- what is seen and written */

bool only_writes(const struct graph_event *event)
{
    return event->access.change == STORES || (event->access.commutes && is_counter(event->variable));
}

static bool fails_with(const struct graph_event *event, cell seen)
{
    int how;
    return event->point && await_fails(event->point, (uint64_t)seen, &how);
}

void see(struct graph_event *event, cell seen)
{
    event->seen = seen;
    event->writes = atomic_result(&event->access, object_size(event->variable), seen, &event->written);
    event->order = event->writes || event->access.change == LOADS ? event->access.order : event->access.failure;
    event->stuck = fails_with(event, seen);
    event->writes &= !event->stuck;
}

static cell shown_by(const struct graph *g, const struct graph_event *event, event_number source)
{
    return source == NOBODY ? event->initial : g->events[source].written;
}

void set_source(struct graph *g, event_number number, event_number source)
{
    struct graph_event *event = &g->events[number];
    event->reads = !only_writes(event);
    event->source = event->reads ? source : NOBODY;
    see(event, shown_by(g, event, source));
    event->place = 0;
    event->write_stamp = event->writes && event->reads ? PENDING : event->stamp;
}

bool is_known_to_fail(const struct graph *g, event_number number, event_number source)
{
    return fails_with(&g->events[number], shown_by(g, &g->events[number], source));
}

bool admits(struct graph *g, event_number number, event_number source)
{
    struct graph_event *event = &g->events[number];
    set_source(g, number, source);
    if (event->stuck)
        return false;
    if (event->writes && event->reads) {
        event->write_stamp = event->stamp;
        graph_place(g, number, graph_place_of(g, source) + 1);
    }
    return is_consistent(g);
}

bool is_final(const struct graph *g)
{
    for (event_number e = 0; e < g->count; e++)
        if (g->events[e].stuck && g->events[e].source != graph_last_write(g, g->events[e].variable))
            return false;
    return true;
}

int name_of(const struct graph *g, event_number write, const int *executed)
{
    const struct graph_event *event = &g->events[write];
    for (event_number e = event->previous; e != NOBODY && g->events[e].thread == event->thread;
         e = g->events[e].previous)
        if (g->events[e].variable == event->variable && g->events[e].writes)
            return executed[e] + 1;
    return name_of_write(event->thread, 0);
}

static int choice_of_place(const struct graph *g, event_number number, const int *executed)
{
    const struct graph_event *event = &g->events[number];
    event_number next = NOBODY;
    FOR_EACH_ACCESS (e, g, event->variable) {
        const struct graph_event *other = &g->events[e];
        if (executed[e] && other->place > event->place && (next == NOBODY || other->place < g->events[next].place))
            next = e;
    }
    return next == NOBODY ? 0 : executed[next];
}

int choice_of(const struct graph *g, event_number number, const int *executed)
{
    const struct graph_event *event = &g->events[number];
    if (event->variable == NOBODY)
        return event->choice;
    if (is_counter(event->variable))
        return SEES_LAST;
    if (!event->reads)
        return choice_of_place(g, number, executed);
    return event->source == NOBODY ? SEES_INITIAL : executed[event->source];
}
