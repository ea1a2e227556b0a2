#include "foresee/stays.h"

#include "explore/arena.h"
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

/* Of each variable that was read before the stamp: who was seen to write it behind what he did before, and whose update
 * that saw before the stamp what it sees comes in again. */
static struct writers {
    thread_set seen, again;
} *writers;
static unsigned writer_room;

static void find_writers(const struct graph *g, int32_t stamp)
{
    GROW(writers, writer_room, objects_ever());
    for (event_number e = 0; e < g->count && g->events[e].stamp < stamp; e++)
        if (g->events[e].variable != NOBODY)
            writers[g->events[e].variable] = (struct writers){0, 0};
    for (event_number e = 0; e < g->count && g->events[e].stamp < stamp; e++)
        if (g->events[e].variable != NOBODY && g->events[e].write_stamp >= stamp)
            writers[g->events[e].variable].again |= (thread_set)1 << g->events[e].thread;
    for (int t = 0; t < program_threads_ever(); t++) {
        unsigned count = 0;
        const struct to_come *writes = is_caught(t) ? NULL : writes_after(at[t], &count);
        for (unsigned i = 0; i < count; i++)
            writers[writes[i].variable].seen |= (thread_set)1 << t;
    }
}

/* May another thread write what this event has read? */
static bool may_be_changed(const struct graph_event *read)
{
    const struct writers *known = &writers[read->variable];
    thread_set own = (thread_set)1 << read->thread;
    if (known->again & ~own)
        return true;
    for (thread_set left = known->seen & ~own; left; left &= left - 1)
        if (!knows(__builtin_ctzl(left), read))
            return true;
    return false;
}

/* The oldest read that may be changed. */
static int32_t oldest_to_change(const struct graph *g, int32_t stamp)
{
    find_writers(g, stamp);
    for (event_number e = 0; e < g->count && g->events[e].stamp < stamp; e++)
        if (g->events[e].reads && may_be_changed(&g->events[e]))
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
