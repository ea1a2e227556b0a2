#include "foresee/again.h"

#include "await/await.h"
#include "foresee/seen/beginnings.h"
#include "graphs/fold.h"
#include "graphs/graphs.h"
#include "graphs/model.h"
#include "graphs/unordered/registers.h"

#include <string.h>

enum { MOST_STEPS = 12, MOST_TRIED = 256 }; /* of one way, and of one question; beyond that it is not known */

static struct question {
    event_number read; /* that is stuck */
    int32_t variable;
    int thread; /* that writes it */
    int tried;
    uint32_t at[MOST_THREADS];
    struct {
        uint32_t at; /* a beginning */
        bool all;    /* nothing else is read behind it than what was */
    } relied[MOST_TRIED];
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

/* A fence. */
static bool passes_so(const struct graph *g, const struct graph_event *like, uint32_t at, int depth)
{
    static struct graph made[MOST_STEPS];
    struct graph *new = &made[depth];
    graph_copy(new, g);
    graph_add_like(new, question.thread, like);
    return goes_on_so(new, at, depth);
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

/* What the thread does next, if that is known, and nothing on which it may have to wait; or NULL. */
static const struct graph_event *next_step(uint32_t at, int depth)
{
    const struct graph_event *like = next_after(at);
    bool waits = like && like->variable == NOBODY && like->kind != OP_FENCE;
    if (!like || waits || depth == MOST_STEPS || question.tried == MOST_TRIED || is_counter(like->variable) ||
        like->point || await_level_of(like->pc) == AWAIT)
        return NULL;
    question.relied[question.tried++].at = at;
    return like;
}

static void forget_steps(void)
{
    memset(question.relied, 0, sizeof question.relied);
    question.tried = 0;
}

/* Does the thread write the variable again, whatever it sees until then? */
static bool comes_again(const struct graph *g, uint32_t at, int depth)
{
    const struct graph_event *like = next_step(at, depth);
    if (!like)
        return false;
    struct graph_event next = *like; /* of the variable, but in no round */
    next.situation = 0;
    if (next.kind == OP_FENCE)
        return passes_so(g, &next, at, depth);
    return only_writes(&next) ? writes_so(g, &next, at, depth) : reads_so(g, &next, at, depth);
}

/* ---------------------------------------------------------------- a read that nothing takes back */

static bool always_writes(const struct graph_event *like)
{
    return like->variable == question.variable && like->access.change != LOADS && like->access.change != COMPARES;
}

/* Was the thread seen to write the variable again, after all that it was ever seen to read until then? */
static bool came_again(uint32_t at, int depth)
{
    const struct graph_event *like = next_step(at, depth);
    if (!like || always_writes(like))
        return like;
    question.relied[question.tried - 1].all = true;
    for (uint32_t next = first_behind(at); next; next = other_than(next))
        if (!came_again(next, depth + 1))
            return false;
    return first_behind(at);
}

/* Does it come before a write of the variable that lies in a past? */
static bool is_before_one(const struct graph *g, const struct relations *r, const uint16_t *past,
                          const struct graph_event *event)
{
    FOR_EACH_ACCESS (w, g, question.variable)
        if (g->events[w].place && is_in(past, &g->events[w]) && is_in(r->past[w], event))
            return true;
    return false;
}

/* The place of the oldest write that the read may always see, whatever else happens; less than 0: it is not known. */
static int32_t oldest_to_see(const struct graph *g, const struct relations *r)
{
    event_number before = g->events[question.read].previous;
    int32_t oldest = 0;
    for (event_number e = 0; before != NOBODY && e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (!event->place || !is_in(r->past[before], event))
            continue;
        if (memory_model != MEMORY_SC || !is_before_one(g, r, r->past[before], event))
            return -1;
        if (event->variable == question.variable && event->place > oldest)
            oldest = event->place;
    }
    return oldest;
}

/* Would it go on with a write, only look at it, and be the one of its images that is explored? */
static bool goes_on_with(const struct graph *g, event_number source)
{
    static struct graph made;
    graph_copy(&made, g);
    set_source(&made, question.read, source);
    const struct graph_event *read = &made.events[question.read];
    return !read->stuck && !read->writes && await_passes(read->point, (uint64_t)read->seen) && fold_keeps(&made);
}

static bool can_always_go_on(const struct graph *g, const struct relations *r)
{
    int32_t place = oldest_to_see(g, r), last = g->events[g->events[question.read].source].place;
    for (; place >= 0 && place < last; place++)
        if (goes_on_with(g, graph_write_at(g, question.variable, place)))
            return true;
    return false;
}

/* Does all that came in behind the read lie in the past of what it sees? */
static bool came_in_for_it(const struct graph *g, const struct relations *r)
{
    const struct graph_event *read = &g->events[question.read];
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        bool later = event->stamp > read->stamp || event->write_stamp > read->stamp; /* or pending */
        if (later && (event->write_stamp == PENDING || !is_in(r->past[read->source], event)))
            return false;
    }
    return true;
}

static bool never_gives_way(const struct graph *g)
{
    static struct relations relations;
    relate(&relations, g);
    return came_in_for_it(g, &relations) && can_always_go_on(g, &relations);
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
    for (int t = 0; t < program_threads_ever(); t++)
        if (is_other(g, t) && may_write(question.at[t]))
            return true;
    return false;
}

static void rely(const struct graph *g, bool stays)
{
    for (int t = 0; t < program_threads_ever(); t++)
        if (!stays && is_other(g, t))
            rely_on(question.at[t], NO_WRITE);
    for (int i = 0; i < question.tried; i++) {
        rely_on(question.relied[i].at, NOTHING_ELSE);
        if (question.relied[i].all)
            rely_on(question.relied[i].at, NO_OTHER_VALUE);
    }
}

/* Is it a question that can be answered? */
static bool ask(const struct graph *g, event_number read)
{
    const struct graph_event *event = &g->events[read];
    if (event->source == NOBODY || is_unordered(event->variable) || has_locks(g) ||
        event->source != graph_last_write(g, event->variable))
        return false;
    question = (struct question){.read = read, .variable = event->variable, .thread = g->events[event->source].thread};
    return question.thread != event->thread;
}

bool stays_as_it_is(const struct graph *g, event_number read) { return ask(g, read) && never_gives_way(g); }

bool is_written_again(const struct graph *g, event_number read)
{
    if (!ask(g, read))
        return false;
    find_beginnings(g, question.at);
    bool stays = came_again(question.at[question.thread], 0) && never_gives_way(g);
    if (!stays)
        forget_steps();
    if (!stays && (!knows_all_later(g) || others_write(g) || !comes_again(g, question.at[question.thread], 0)))
        return false;
    rely(g, stays);
    return true;
}
