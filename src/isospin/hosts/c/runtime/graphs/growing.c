/* Reference: Fidge 1988, Mattern 1988 (clocks); Shasha, Snir, TOPLAS 1988 (as models/sequential.c).
 * Differs: clocks of the order in which all that happened must have been, not only of its causes.  A new event has one
 * way on, to the write before which it comes, so there is a cycle if that write is known to what it follows.
 */
#include "graphs/growing.h"

#include "explore/arena.h"
#include "foresee/foresee.h"
#include "graphs/model.h"
#include "graphs/unordered/registers.h"
#include "runtime.h"
#include "wire/message.h"

#include <string.h>

static struct relations relations;
static int first; /* of the events that have come in since it was begun */
static const struct graph *run;
static unsigned runs;
static thread_set stuck;
static bool doubts;

/* Of each event those that come before it. */
struct order {
    uint16_t (*of)[MOST_THREADS];
    unsigned room;
    struct {
        unsigned run;
        uint16_t clock[MOST_THREADS]; /* who accessed it, with all that came before */
    } *variables;
    unsigned variable_room;
};
struct clocks { /* both of one thread */
    uint16_t placed[MOST_THREADS], certain[MOST_THREADS];
};
static struct {
    struct order placed;  /* as the places of writes say */
    struct order certain; /* whatever the places of writes of registers are */
    int count;
    unsigned run;
    bool registers; /* there are any: else both are the same */
    bool fails; /* there is no such sequence; or there are counters: where a load of one comes depends on all additions
                 */
} before;

void growing_open(void) { doubts = option_number("doubts", 0); }

bool growing_doubts(void) { return doubts; }

void growing_doubt(enum fit fit, bool consistent)
{
    if (fit != MAY_FIT && consistent != (fit == FITS))
        broken("clocks and the whole of an execution graph disagree");
}

void growing_begin(const struct graph *g)
{
    (memory_model == MEMORY_RC11 ? relate_happened : relate)(&relations, g);
    run = g;
    runs++;
    first = g->count;
    before.count = 0;
    stuck = 0;
    for (event_number e = 0; e < g->count; e++)
        if (g->events[e].stuck)
            stuck |= (thread_set)1 << g->events[e].thread;
}

thread_set growing_stuck(void) { return stuck; }

unsigned growing_run(const struct graph *g) { return g == run ? runs : 0; }

const struct relations *growing_relations(const struct graph *g)
{
    first = first < g->count ? first : g->count; /* the newest may have been taken away: its round has failed */
    int known = relations.count < g->count ? relations.count - 1 : g->count - 1; /* but for what was the newest then */
    relations.count = known = known > first ? known : first;
    relate_more(&relations, g);
    if (memory_model == MEMORY_RC11)
        relate_more_happened(&relations, g, known);
    return &relations;
}

/* ---------------------------------------------------------------- what comes before what */

static uint16_t *clock_of_variable(struct order *o, int32_t variable)
{
    GROW(o->variables, o->variable_room, variable + 1);
    if (o->variables[variable].run != before.run)
        memset(o->variables[variable].clock, 0, sizeof o->variables[variable].clock);
    o->variables[variable].run = before.run;
    return o->variables[variable].clock;
}

/* The clock of an event, if all that comes before it have theirs. */
static void put(struct order *o, const struct graph *g, event_number e, bool ordered)
{
    const struct graph_event *event = &g->events[e];
    relate_direct(o->of, g, e);
    if (event->variable == NOBODY || !ordered)
        return;
    uint16_t *all = clock_of_variable(o, event->variable);
    if (event->place)
        clock_join(o->of[e], all);
    clock_join(all, o->of[e]);
}

static void note_before(const struct graph *g, event_number e)
{
    bool is_one = is_register(g->events[e].variable);
    before.fails |= is_counter(g->events[e].variable);
    put(&before.placed, g, e, true);
    if (before.registers)
        put(&before.certain, g, e, !is_one);
}

static bool has_registers(const struct graph *g, event_number since)
{
    for (event_number e = since; e < g->count; e++)
        if (is_register(g->events[e].variable))
            return true;
    return false;
}

static void note_all_before(const struct graph *g)
{
    const event_number *order;
    before.run++;
    before.count = g->count;
    before.fails = !find_total(g, &order);
    before.registers = has_registers(g, 0);
    for (int i = 0; i < g->count && !before.fails; i++)
        note_before(g, order[i]);
}

/* Did it come in behind everything: does it see, or is it, the last write? */
static bool is_last(const struct graph *g, event_number e)
{
    const struct graph_event *event = &g->events[e];
    if (event->variable == NOBODY)
        return true;
    int32_t place = place_seen(g, event);
    for (event_number other = event->earlier; other != NOBODY; other = g->events[other].earlier)
        if (g->events[other].place > place)
            return false;
    return true;
}

/* Of all events of a graph. */
static void know_before(const struct graph *g)
{
    GROW(before.placed.of, before.placed.room, g->count);
    GROW(before.certain.of, before.certain.room, g->count);
    bool grows = before.count && (before.registers || !has_registers(g, before.count));
    for (event_number e = before.count; grows && e < g->count; e++)
        grows = is_last(g, e);
    if (!grows)
        note_all_before(g);
    for (; before.count < g->count; before.count++)
        note_before(g, before.count);
}

/* ---------------------------------------------------------------- does it fit? */

/* SOUND: all edges from the new event lead to `next`, or from there on.  One back to what its thread did is a cycle;
 * and what it sees, and who sees that, come before `next` already, so there is no other. */
static enum fit sequential_fit(const struct graph_event *event, const struct clocks *known,
                               const struct graph_event *next)
{
    if (before.fails)
        return MAY_FIT;
    if (!is_in(known->placed, next))
        return FITS;
    if (is_register(event->variable) || (before.registers && !is_in(known->certain, next)))
        return MAY_FIT; /* with other places */
    return DOES_NOT_FIT;
}

/* Of an event that comes in, behind what its thread knows. */
static enum fit fit_of(const struct graph *g, const struct graph_event *event, const struct clocks *known,
                       int32_t place)
{
    event_number next = graph_write_at(g, event->variable, place);
    if (next == NOBODY)
        return FITS;
    const struct graph_event *other = &g->events[next];
    if (event->writes && other->reads && graph_place_of(g, other->source) == place - 1)
        return DOES_NOT_FIT; /* nothing comes between what an update reads and what it writes */
    enum fit fit = sequential_fit(event, known, other);
    return fit == DOES_NOT_FIT && memory_model != MEMORY_SC ? MAY_FIT : fit; /* what is sequential is all else, too */
}

/* What one knows who has seen an event. */
static void learn(struct clocks *known, event_number e)
{
    if (e == NOBODY || before.fails)
        return;
    clock_join(known->placed, before.placed.of[e]);
    if (before.registers)
        clock_join(known->certain, before.certain.of[e]);
}

/* What the next event of a thread knows that was there last. */
static void begin_with(struct clocks *known, const struct graph *g, event_number previous)
{
    know_before(g);
    memset(known, 0, sizeof *known);
    learn(known, previous);
}

/* Does the newest event come before something of its variable that happened before it? */
static bool comes_too_late(const struct graph *g, int32_t place)
{
    const struct graph_event *event = &g->events[g->count - 1];
    const uint16_t *happened = growing_relations(g)->happened[g->count - 1];
    for (event_number e = event->earlier; e != NOBODY; e = g->events[e].earlier)
        if (is_in(happened, &g->events[e]) && place_seen(g, &g->events[e]) >= place)
            return true;
    return false;
}

static void look_twice(const struct graph *g, int32_t place, enum fit fit)
{
    static struct graph made;
    graph_copy(&made, g);
    if (g->events[g->count - 1].writes)
        graph_place(&made, g->count - 1, place);
    growing_doubt(fit, is_consistent(&made));
}

enum fit growing_fit(struct graph *g, int32_t place)
{
    static struct clocks known;
    const struct graph_event *event = &g->events[--g->count]; /* it is the one that comes in */
    begin_with(&known, g, event->previous);
    enum fit fit = fit_of(g, event, &known, place);
    g->count++;
    if (fit == MAY_FIT && memory_model == MEMORY_RC11 && comes_too_late(g, place))
        fit = DOES_NOT_FIT;
    if (doubts)
        look_twice(g, place, fit);
    return fit;
}

static struct clocks reads[MOST_READS]; /* what is known before each of the reads that are to come */

static void learn_by(int nth, event_number source)
{
    if (nth + 1 == MOST_READS)
        return;
    reads[nth + 1] = reads[nth];
    learn(&reads[nth + 1], source);
}

bool growing_has_first(const struct graph *g, event_number read)
{
    if (g != run || read != g->count - 1)
        return false;
    struct graph others = *g;
    others.count--;
    begin_with(&reads[0], &others, g->events[read].previous);
    learn_by(0, g->events[read].source);
    return true;
}

static void come_next(const struct graph *g, int thread, int nth, event_number source)
{
    if (!nth)
        begin_with(&reads[0], g, graph_last_of(g, thread));
    learn_by(nth, source);
}

void growing_pass(const struct graph *g, int thread, int nth)
{
    if (g == run)
        come_next(g, thread, nth, NOBODY);
}

enum fit growing_fit_next(const struct graph *g, int thread, int nth, event_number source, struct graph_event *made)
{
    if (g != run)
        return MAY_FIT;
    come_next(g, thread, nth, source);
    return fit_of(g, made, &reads[nth], graph_place_of(g, source) + 1);
}
