#include "foresee/settled.h"

#include "explore/arena.h"
#include "explore/program.h"
#include "foresee/seen/beginnings.h"
#include "foresee/seen/rounds.h"

static struct needed {
    uint32_t beginning;
    int what;
} *needed;
static unsigned needed_count, needed_room;

static struct {
    const struct graph *graph;
    event_number read;
    const uint16_t *happened; /* before it */
    uint32_t root[MOST_THREADS], at[MOST_THREADS];
} question;

void settled_begin(void) { needed_count = 0; }

void settled_rely(void)
{
    for (unsigned i = 0; i < needed_count; i++)
        rely_on(needed[i].beginning, needed[i].what);
}

static void need(uint32_t beginning, int what)
{
    for (unsigned i = 0; i < needed_count; i++)
        if (needed[i].beginning == beginning && needed[i].what == what)
            return;
    GROW(needed, needed_room, needed_count + 1);
    needed[needed_count++] = (struct needed){beginning, what};
}

static void ask(const struct graph *g, event_number read)
{
    static struct relations relations;
    relate_happened(&relations, g);
    question.graph = g;
    question.read = read;
    question.happened = relations.happened[read];
    find_beginnings(&(struct graph){0}, question.root);
    find_beginnings(g, question.at);
}

/* How many events has a thread made? */
static int made_by(int thread)
{
    event_number last = graph_last_of(question.graph, thread);
    if (last == NOBODY || question.graph->events[last].thread != thread)
        return 0;
    return question.graph->events[last].nth + !question.graph->events[last].stuck;
}

/* Is the last value that the thread has stored there known, and does that happen before, and is it the last one? */
static bool has_stored(int thread, int spot, uint64_t value)
{
    uint32_t later = question.at[thread];
    int made = made_by(thread);
    if (!later || stored_after(later, spot))
        return false;
    for (uint32_t at = beginning_before(later); at; later = at, at = beginning_before(at)) {
        const struct store_to_come *store = stored_after(at, spot);
        made--;
        if (!store)
            continue;
        if (!store->here || store->several || store->value != value || question.happened[thread] <= made)
            return false;
        need(at, no_other_store_in(spot));
        need(later, no_store_in(spot));
        return true;
    }
    return false;
}

/* Will the spot be read with this value, and never with another one, nor race? */
static bool is_settled(int spot, uint64_t value)
{
    int writer = NOBODY;
    for (int t = 0; t < program_threads_ever(); t++) {
        if (!question.root[t])
            return false;
        if (!stored_after(question.root[t], spot))
            need(question.root[t], no_store_in(spot));
        else if (writer != NOBODY)
            return false;
        else
            writer = t;
    }
    if (writer == NOBODY)
        return true;
    return writer != question.graph->events[question.read].thread && has_stored(writer, spot, value);
}

static bool holds(const struct plain_way *way)
{
    for (int i = 0; i < way->count; i++)
        if (!is_settled(way->spot[i].number, way->spot[i].value))
            return false;
    return true;
}

int next_behind(const struct graph *g, event_number read)
{
    const struct graph_event *event = &g->events[read];
    const struct plain_way *way;
    if (!has_plain_ways(event->situation, (uint64_t)event->seen))
        return next_of(event->situation, (uint64_t)event->seen);
    ask(g, read);
    for (unsigned i = 0; (way = plain_way(event->situation, (uint64_t)event->seen, i)); i++)
        if (way->next && holds(way))
            return way->next;
    return 0;
}
