#include "foresee/stays.h"

#include "foresee/seen/beginnings.h"
#include "foresee/ways.h"

static uint32_t at[MOST_THREADS];
static struct relations relations;
static event_number last[MOST_THREADS]; /* of what came in before the stamp; NOBODY: nothing did */

static bool is_caught(int thread) { return taken_to_be_caught >> thread & 1; }

/* Is it known where all others are? */
static bool find_where(const struct graph *g, int32_t stamp)
{
    find_beginnings_before(g, stamp, at);
    for (int t = 0; t < program_threads_ever(); t++) {
        last[t] = NOBODY;
        if (!is_caught(t) && !at[t])
            return false;
    }
    for (event_number e = 0; e < g->count && g->events[e].stamp < stamp; e++)
        last[g->events[e].thread] = e;
    return true;
}

/* Nobody changes what lies in his own past. */
static bool knows(int thread, const struct graph_event *read)
{
    return last[thread] != NOBODY && is_in(relations.past[last[thread]], read);
}

static bool was_seen_to_write(int thread, int32_t variable)
{
    unsigned count;
    const struct to_come *writes = writes_after(at[thread], &count);
    for (unsigned i = 0; i < count; i++)
        if (writes[i].variable == variable)
            return true;
    return false;
}

/* Will the write part of an update that saw before the stamp what it sees come in again? */
static bool comes_again(const struct graph *g, int32_t stamp, int thread, int32_t variable)
{
    FOR_EACH_ACCESS (e, g, variable)
        if (g->events[e].thread == thread && g->events[e].stamp < stamp && g->events[e].write_stamp >= stamp)
            return true;
    return false;
}

/* May another thread write what this event has read? */
static bool may_be_changed(const struct graph *g, int32_t stamp, const struct graph_event *read)
{
    for (int t = 0; t < program_threads_ever(); t++)
        if (t != read->thread && ((!is_caught(t) && !knows(t, read) && was_seen_to_write(t, read->variable)) ||
                                  comes_again(g, stamp, t, read->variable)))
            return true;
    return false;
}

/* The oldest read that may be changed. */
static int32_t oldest_to_change(const struct graph *g, int32_t stamp)
{
    for (event_number e = 0; e < g->count && g->events[e].stamp < stamp; e++)
        if (g->events[e].reads && may_be_changed(g, stamp, &g->events[e]))
            return g->events[e].stamp;
    return stamp;
}

int32_t find_what_stays(const struct graph *g)
{
    int32_t stamp = g->stamps, oldest = stamp;
    relate(&relations, g);
    do {
        stamp = oldest;
        if (!find_where(g, stamp))
            return -1;
        oldest = oldest_to_change(g, stamp);
    } while (oldest < stamp);
    return stamp;
}

void rely_on_what_stays(const struct graph *g, int32_t stamp)
{
    relate(&relations, g);
    find_where(g, stamp);
    for (event_number e = 0; e < g->count && g->events[e].stamp < stamp; e++)
        for (int t = 0; g->events[e].reads && t < program_threads_ever(); t++)
            if (t != g->events[e].thread && !is_caught(t) && !knows(t, &g->events[e]))
                rely_on(at[t], no_write_of(g->events[e].variable));
}
