#include "foresee/ways.h"

#include "await/await.h"
#include "foresee/settled.h"
#include "graphs/graphs.h"
#include "graphs/growing.h"
#include "graphs/unordered/registers.h"

enum { MOST_TRIED = 256 }; /* of one question; beyond that nothing is foreseen */

struct question question;
int since_old;
thread_set taken_to_be_caught;
int32_t may_go = INT32_MAX;
static int asked[2 * MOST_TRIED]; /* situations: so many as it counts */

static bool is_other(int thread) { return thread != question.thread && !(taken_to_be_caught >> thread & 1); }

bool may_be_written(int situation)
{
    int32_t variable = read_in(situation)->variable;
    if (!question.others || variable == NOBODY)
        return false;
    for (int t = 0; t < program_threads_ever(); t++) {
        unsigned count;
        const struct to_come *writes = writes_after(question.at[t], &count);
        for (unsigned i = 0; is_other(t) && i < count; i++)
            if (writes[i].variable == variable && lets_pass(situation, writes[i].value))
                return true;
    }
    asked[question.count++] = situation;
    return false;
}

/* An update that cannot be, as long as another one has what it wants. */
static void would_take(const struct graph *g, const struct graph_event *like, event_number source)
{
    static struct graph made;
    question.takes = true;
    if (!question.leave)
        return;
    graph_copy(&made, g);
    set_source(&made, graph_add_like(&made, question.thread, like), source);
    offer_taker(&made);
}

/* A graph with the reads that the thread would make first. */
static void make_first(struct graph *new, const struct graph *g)
{
    graph_copy(new, g);
    for (int i = question.given; i < question.firsts; i++) {
        event_number e = graph_add_like(new, question.thread, question.first[i].like);
        if (new->events[e].variable != NOBODY)
            set_source(new, e, question.first[i].source);
    }
}

/* It is known to fit, and writes nothing: then nothing else changes by it. */
static bool leaves_after(const struct graph *g, const struct graph_event *like, event_number source, int next,
                         int depth)
{
    question.first[question.firsts].like = like;
    question.first[question.firsts++].source = source;
    bool leaves = leaves_from(g, next, depth + 1);
    question.firsts--;
    return leaves;
}

/* From the newest event of a graph on, behind which plain memory decides. */
static bool leaves_behind(const struct graph *new, int next, int depth)
{
    int firsts = question.firsts;
    question.firsts = 0;
    bool leaves = !next || leaves_from(new, next, depth + 1);
    question.firsts = firsts;
    return leaves;
}

/* A fence sees nothing, and anybody passes it. */
static bool leaves_by_fence(const struct graph *g, const struct graph_event *like, int depth)
{
    static struct graph made[MOST_READS];
    struct graph *new = &made[depth];
    if (depth == MOST_READS)
        return true;
    bool leaves;
    question.fences++;
    if (has_plain_ways(like->situation, 0)) {
        make_first(new, g);
        leaves = leaves_behind(new, next_behind(new, graph_add_like(new, question.thread, like)), depth);
    } else {
        int next = next_of(like->situation, 0);
        growing_pass(g, question.thread, question.firsts);
        leaves = !next || leaves_after(g, like, NOBODY, next, depth);
    }
    question.fences--;
    return leaves;
}

static bool leaves_with(const struct graph *g, const struct graph_event *like, event_number source, int depth)
{
    static struct graph made[MOST_READS];
    struct graph *new = &made[depth];
    struct graph_event event = *like;
    see(&event, source == NOBODY ? like->initial : g->events[source].written);
    bool grows = question.grows && !question.leave;
    enum fit fit = grows ? growing_fit_next(g, question.thread, question.firsts, source, &event) : MAY_FIT;
    if (growing_doubts() && fit != MAY_FIT) {
        make_first(new, g);
        growing_doubt(fit, admits(new, graph_add_like(new, question.thread, like), source));
    }
    int next = changes(&event) ? 0 : next_of(like->situation, (uint64_t)event.seen);
    bool plain = !changes(&event) && has_plain_ways(like->situation, (uint64_t)event.seen);
    if (fit == FITS && !plain && (!next || !event.writes))
        return !next || leaves_after(g, like, source, next, depth);
    if (fit != DOES_NOT_FIT) {
        make_first(new, g);
        event_number e = graph_add_like(new, question.thread, like);
        if (admits(new, e, source))
            return leaves_behind(new, plain ? next_behind(new, e) : next, depth);
    }
    if (event.writes)
        would_take(g, like, source);
    return false;
}

static bool leaves_by(const struct graph *g, const struct graph_event *like, int depth)
{
    if (like->kind == OP_FENCE)
        return leaves_by_fence(g, like, depth);
    /* A load of a counter has no source that could be tried.  (Where loops wait, there is none; but see that it is.) */
    if (depth == MOST_READS || question.tried > MOST_TRIED - MOST_READS || is_counter(like->variable))
        return true;
    for (event_number w = NOBODY; w < g->count; w++) {
        if (w != NOBODY && (g->events[w].variable != like->variable || !g->events[w].place))
            continue;
        int how;
        cell seen = w == NOBODY ? like->initial : g->events[w].written;
        if (like->point && await_fails(like->point, (uint64_t)seen, &how))
            continue;
        question.tried++;
        if (leaves_with(g, like, w, depth))
            return true;
    }
    return false;
}

bool leaves_from(const struct graph *g, int situation, int depth)
{
    if (!may_fail_within(situation, MOST_READS - depth)) /* as in a loop that only counts */
        return true;
    /* SOUND: it may wait there for ever, and only a round that fails can be taken out, with what it saw. */
    if (since_old >= 0 && fails_beyond(situation, since_old + depth - question.fences + 1))
        return true;
    struct graph_event like = *read_in(situation);
    like.situation = situation;
    return may_be_written(situation) || leaves_by(g, &like, depth);
}

bool may_leave_round(const struct graph *g, int thread)
{
    struct graph_event like = {.variable = NOBODY, .source = NOBODY};
    describe_event(&like, thread); /* as the program has it now */
    question = (struct question){.thread = thread, .grows = true};
    since_old = -1;
    return leaves_by(g, &like, 0) || question.takes;
}

bool is_left_alone(int32_t variable)
{
    for (int t = 0; t < program_threads_ever(); t++) {
        unsigned count;
        const struct to_come *writes = writes_after(question.at[t], &count);
        for (unsigned i = 0; is_other(t) && i < count; i++)
            if (writes[i].variable == variable)
                return false;
    }
    asked[question.count++] = no_write_of(variable);
    return true;
}

bool knows_others(const struct graph *g, int thread)
{
    question = (struct question){.thread = thread, .others = true};
    find_beginnings_before(g, may_go, question.at);
    for (int t = 0; t < program_threads_ever(); t++)
        if (is_other(t) && !question.at[t])
            return false;
    return true;
}

void rely_on_others(void)
{
    for (int i = 0; i < question.count; i++)
        for (int t = 0; t < program_threads_ever(); t++)
            if (is_other(t))
                rely_on(question.at[t], asked[i]);
}
