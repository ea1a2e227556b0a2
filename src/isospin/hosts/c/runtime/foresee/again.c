#include "foresee/again.h"

#include "await/await.h"
#include "foresee/beginnings.h"
#include "graphs/graphs.h"
#include "graphs/model.h"
#include "graphs/registers.h"

enum { MOST_STEPS = 12, MOST_TRIED = 256 }; /* of one way, and of one question; beyond that it is not known */

static struct question {
    event_number read; /* that is stuck */
    int32_t variable;
    int thread; /* that writes it */
    int tried;
    uint32_t at[MOST_THREADS];
    uint32_t relied[MOST_TRIED]; /* beginnings */
} question;

/* Could the read go on with another write that was there before the newest one? */
static bool would_go_on(const struct graph *g)
{
    static struct graph made;
    for (event_number w = NOBODY; w < g->count - 1; w++) {
        if (w != NOBODY && (g->events[w].variable != question.variable || !g->events[w].place))
            continue;
        graph_copy(&made, g);
        const struct graph_event *read = &made.events[question.read];
        if (admits(&made, question.read, w) && await_passes(read->point, (uint64_t)read->seen))
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- ways on */

static bool comes_again(const struct graph *g, uint32_t at, int depth);

/* The thread has made one more step, which is the newest event. */
static bool goes_on_so(const struct graph *g, uint32_t at, int depth)
{
    event_number e = g->count - 1;
    const struct graph_event *event = &g->events[e];
    if (event->writes && event->variable == question.variable)
        return graph_last_write(g, question.variable) == e && would_go_on(g);
    return comes_again(g, beginning_behind(at, event), depth + 1);
}

static bool is_source(const struct graph *g, event_number w, int32_t variable)
{
    return w == NOBODY || (g->events[w].variable == variable && g->events[w].place);
}

/* With everything that it could see. */
static bool reads_so(const struct graph *g, const struct graph_event *like, uint32_t at, int depth)
{
    static struct graph made[MOST_STEPS];
    struct graph *new = &made[depth];
    for (event_number w = NOBODY; w < g->count; w++) {
        if (!is_source(g, w, like->variable))
            continue;
        graph_copy(new, g);
        event_number e = graph_add_like(new, question.thread, like);
        if (admits(new, e, w) && !goes_on_so(new, at, depth))
            return false;
    }
    return true;
}

/* At every place. */
static bool writes_so(const struct graph *g, const struct graph_event *like, uint32_t at, int depth)
{
    static struct graph made[MOST_STEPS];
    struct graph *new = &made[depth];
    int32_t last = graph_place_of(g, graph_last_write(g, like->variable)) + 1;
    for (int32_t place = is_unordered(like->variable) ? last : 1; place <= last; place++) {
        graph_copy(new, g);
        event_number e = graph_add_like(new, question.thread, like);
        set_source(new, e, NOBODY);
        graph_place(new, e, place);
        if (is_consistent(new) && !goes_on_so(new, at, depth))
            return false;
    }
    return true;
}

/* Does the thread write the variable again, whatever it sees until then? */
static bool comes_again(const struct graph *g, uint32_t at, int depth)
{
    const struct graph_event *like = next_after(at);
    if (!like || depth == MOST_STEPS || question.tried == MOST_TRIED || like->variable == NOBODY ||
        is_counter(like->variable) || like->point || await_level_of(like->pc) == AWAIT)
        return false;
    question.relied[question.tried++] = at;
    struct graph_event next = *like; /* of the variable, but in no round */
    next.situation = 0;
    return only_writes(&next) ? writes_so(g, &next, at, depth) : reads_so(g, &next, at, depth);
}

/* ---------------------------------------------------------------- the others */

bool has_locks(const struct graph *g)
{
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (event->objects && event->kind != OP_CREATE && event->kind != OP_END && !event->joins)
            return true;
    }
    return false;
}

/* Will none of its writes take anything back that came in behind the read? */
static bool knows_all_later(const struct graph *g)
{
    static struct relations relations;
    int32_t stamp = g->events[question.read].stamp;
    relate(&relations, g);
    const uint16_t *past = relations.past[graph_last_of(g, question.thread)];
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        bool later = event->stamp > stamp || event->write_stamp > stamp; /* or pending */
        if (later && (event->write_stamp == PENDING || !is_in(past, event)))
            return false;
    }
    return true;
}

static bool is_other(const struct graph *g, int thread)
{
    return thread != question.thread && thread != g->events[question.read].thread;
}

static bool may_write(uint32_t at)
{
    unsigned count = 1;
    if (at)
        writes_after(at, &count);
    return count;
}

static bool others_write(const struct graph *g)
{
    find_beginnings(g, question.at);
    for (int t = 0; t < program_threads_ever(); t++)
        if (is_other(g, t) && may_write(question.at[t]))
            return true;
    return false;
}

static void rely(const struct graph *g)
{
    for (int t = 0; t < program_threads_ever(); t++)
        if (is_other(g, t))
            rely_on(question.at[t], NO_WRITE);
    for (int i = 0; i < question.tried; i++)
        rely_on(question.relied[i], NOTHING_ELSE);
}

bool is_written_again(const struct graph *g, event_number read)
{
    const struct graph_event *event = &g->events[read];
    if (event->source == NOBODY || is_unordered(event->variable) || has_locks(g) ||
        event->source != graph_last_write(g, event->variable))
        return false;
    question = (struct question){.read = read, .variable = event->variable, .thread = g->events[event->source].thread};
    if (question.thread == event->thread || !knows_all_later(g) || others_write(g) ||
        !comes_again(g, question.at[question.thread], 0))
        return false;
    rely(g);
    return true;
}
