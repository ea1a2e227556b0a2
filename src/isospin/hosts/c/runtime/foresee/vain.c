#include "foresee/vain.h"

#include "await/await.h"
#include "foresee/again.h"
#include "foresee/settled.h"
#include "foresee/ways.h"
#include "graphs/graphs.h"
#include "graphs/growing.h"
#include "graphs/unordered/registers.h"

/* The newest write of the variable that was there when the read came in, or NOBODY. */
static event_number newest_before(const struct graph *g, const struct graph_event *read)
{
    event_number newest = NOBODY;
    for (event_number e = 0; e < g->count; e++)
        if (g->events[e].variable == read->variable && g->events[e].write_stamp < read->stamp &&
            g->events[e].place > graph_place_of(g, newest))
            newest = e;
    return newest;
}

static bool is_old(const struct graph *g, const struct graph_event *read)
{
    return !is_unordered(read->variable) && graph_place_of(g, newest_before(g, read)) > graph_place_of(g, read->source);
}

/* Did it see an old write, though a newer one was there?  SOUND: no revisit takes it back then.  That of a register may
 * come to be what would be inserted; so may one that waits, unless it could always have seen the last. */
static bool is_fixed(const struct graph *g, const struct graph_event *read)
{
    event_number newest = newest_before(g, read);
    int how;
    if (!is_old(g, read))
        return false;
    return !read->point ||
           (!await_fails(read->point, (uint64_t)g->events[newest].written, &how) && is_left_alone(read->variable));
}

/* The read, or the fence, before it in the same round, or NOBODY. */
static event_number read_before(const struct graph *g, event_number read)
{
    event_number before = g->events[read].previous;
    if (before == NOBODY || g->events[before].thread != g->events[read].thread)
        return NOBODY;
    const struct graph_event *event = &g->events[before];
    if (!event->reads && event->kind != OP_FENCE)
        return NOBODY;
    return next_behind(g, before) == g->events[read].situation ? before : NOBODY;
}

static int reads_since(const struct graph *g, event_number old, event_number read)
{
    int count = 1;
    for (; read != old; read = read_before(g, read))
        count += g->events[read].reads;
    return count;
}

/* Back to a read that is fixed; what was read behind it could become something else. */
static event_number fixed_before(const struct graph *g, event_number read)
{
    while (read != NOBODY && !is_fixed(g, &g->events[read])) {
        if (!g->events[read].situation || may_be_written(g->events[read].situation))
            return NOBODY;
        read = read_before(g, read);
    }
    return read;
}

/* Did an event come in for a read of the thread, from `fixed` on up to `read`, which was taken back for it? */
static bool came_in_for(const struct graph *g, const struct relations *r, const struct graph_event *event,
                        event_number fixed, event_number read)
{
    for (event_number e = read;; e = g->events[e].previous) {
        int32_t stamp = g->events[e].stamp;
        if (is_in(r->past[e], event) && (event->stamp > stamp || event->write_stamp > stamp))
            return true;
        if (e == fixed)
            return false;
    }
}

/* Is everything that came in behind it of its thread, or something for which a read of it was taken back?  SOUND: no
 * revisit takes that back.  What others did by themselves, and the thread saw then, may still be taken back, with what
 * it saw, but not what it saw before. */
static bool is_newest(const struct graph *g, event_number fixed, event_number read)
{
    static struct relations own;
    if (!growing_run(g))
        relate(&own, g);
    const struct relations *relations = growing_run(g) ? growing_relations(g) : &own;
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        bool later = event->stamp > g->events[fixed].stamp || event->write_stamp > g->events[fixed].stamp;
        if (event->write_stamp == PENDING)
            return false;
        if (later && event->thread != g->events[read].thread && !came_in_for(g, relations, event, fixed, read))
            return false;
    }
    return true;
}

static bool can_leave(const struct graph *g, event_number read)
{
    const struct graph_event *event = &g->events[read];
    int next = next_behind(g, read);
    if (!next || event->writes || event->stuck || !knows_others(g, event->thread))
        return true;
    question.grows = growing_has_first(g, read);
    question.firsts = question.given = question.grows;
    return leaves_from(g, next, 0);
}

/* The thread of a read cannot leave its round. */
static bool is_caught(const struct graph *g, event_number read)
{
    if (can_leave(g, read))
        return false;
    rely_on_others();
    return true;
}

/* SOUND: what the update would take is what nothing else leads to. */
static void leave_takers(const struct graph *g, event_number read)
{
    if (!question.takes)
        return;
    question.leave = true;
    question.count = question.tried = 0;
    leaves_from(g, next_behind(g, read), 0);
}

static bool catches_itself(const struct graph *g, event_number read)
{
    event_number fixed = fixed_before(g, read);
    if (fixed == NOBODY || !is_newest(g, fixed, read))
        return false;
    rely_on_others();
    since_old = reads_since(g, fixed, read);
    if (!is_caught(g, read))
        return false;
    leave_takers(g, read);
    return true;
}

/* Is it not known that the thread writes nothing from there on?  If it is, that is relied on. */
static bool writes_more(int thread)
{
    unsigned count;
    writes_after(question.at[thread], &count);
    if (!question.at[thread] || count)
        return true;
    rely_on(question.at[thread], NO_WRITE);
    return false;
}

/* May anybody still write, but for the thread that waits for ever?  If it is known that nobody does, that is relied
 * on. */
static bool others_write_more(int stuck)
{
    for (int t = 0; t < program_threads_ever(); t++)
        if (t != stuck && writes_more(t))
            return true;
    return false;
}

/* Does somebody wait for ever who would not?  SOUND: nothing takes that back any more, no write and no lock. */
static bool waits_in_vain(const struct graph *g, event_number e)
{
    const struct graph_event *event = &g->events[e];
    return event->stuck && event->source != graph_last_write(g, event->variable) && !has_locks(g) &&
           !others_write_more(event->thread);
}

/* Did nothing of others come in between two reads of a thread, and will all that is there stay as it is? */
static bool are_together(const struct graph *g, event_number first, event_number second)
{
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        bool between = event->stamp > g->events[first].stamp && event->stamp < g->events[second].stamp;
        if (event->write_stamp == PENDING || (between && event->thread != g->events[first].thread))
            return false;
    }
    return true;
}

/* A thread waits for ever at the end of a round in which it saw what is not the last.  SOUND: in a round that begins
 * later it would see the last, and wait there, if it waits for ever.  It does: nobody will write what it waits for, and
 * no revisit takes it back without the read that is fixed. */
static bool waits_too_early(const struct graph *g, event_number read)
{
    event_number fixed = fixed_before(g, read);
    if (fixed == NOBODY || !are_together(g, fixed, read) ||
        fails_beyond(g->events[read].situation, reads_since(g, fixed, read)))
        return false;
    rely_on_others();
    return true;
}

/* SOUND: also who has written the last itself, behind what it saw: it would find the same there again. */
static bool is_up_to_date(const struct graph *g, const struct graph_event *read)
{
    return is_unordered(read->variable) ||
           place_seen(g, read) == graph_place_of(g, graph_last_write(g, read->variable));
}

/* The newest read of the round that saw what is not the last any more, or NOBODY. */
static event_number outdated_before(const struct graph *g, event_number read)
{
    while (read != NOBODY && is_up_to_date(g, &g->events[read]))
        read = read_before(g, read);
    return read;
}

/* The same, where nothing takes it back, so that nothing is relied on. */
static bool waits_outdated(const struct graph *g, event_number read)
{
    event_number old = outdated_before(g, read);
    return old != NOBODY && !fails_beyond(g->events[read].situation, reads_since(g, old, read)) &&
           stays_as_it_is(g, read);
}

/* Is it caught in a round in which it saw what is not the last?  Else it may wait for ever. */
static bool is_caught_with_old(const struct graph *g, event_number read)
{
    event_number old = outdated_before(g, read);
    if (old == NOBODY)
        return false;
    since_old = reads_since(g, old, read);
    return is_caught(g, read);
}

/* Is another thread caught, and nothing will take that back? */
static bool catches_another(const struct graph *g, event_number read)
{
    int thread = g->events[read].thread;
    if (!is_fixed(g, &g->events[read]) || !is_newest(g, read, read) || writes_more(thread))
        return false;
    rely_on_others();
    for (int t = 0; t < program_threads_ever(); t++) {
        event_number last = graph_last_of(g, t);
        if (t == thread || last == NOBODY || g->events[last].thread != t)
            continue;
        /* What it would take does not give way any more. */
        if (waits_in_vain(g, last) || (g->events[last].reads && is_caught_with_old(g, last)))
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- several threads */

static event_number fixed_of[MOST_THREADS];

static bool is_of_round(const struct graph_event *event)
{
    return (event->reads || event->kind == OP_FENCE) && !event->writes && event->situation;
}

static thread_set without(thread_set set, int thread) { return set & ~((thread_set)1 << thread); }

/* The read of a round that may fail with which a thread is the newest to have done something, or NOBODY. */
static event_number in_some_round(const struct graph *g, int thread)
{
    event_number last = graph_last_of(g, thread);
    if (last == NOBODY || g->events[last].thread != thread)
        return NOBODY;
    return is_of_round(&g->events[last]) ? last : NOBODY;
}

/* The same, if it does not wait there for ever. */
static event_number in_round(const struct graph *g, int thread)
{
    event_number last = in_some_round(g, thread);
    return last != NOBODY && !g->events[last].stuck ? last : NOBODY;
}

/* Can it not leave its round, if those that are taken to be caught write nothing?  Then its read that is fixed. */
static event_number fixed_among(const struct graph *g, int thread)
{
    event_number read = in_round(g, thread);
    if (read == NOBODY || !knows_others(g, thread))
        return NOBODY;
    event_number fixed = fixed_before(g, read);
    if (fixed == NOBODY)
        return NOBODY;
    since_old = reads_since(g, fixed, read);
    return can_leave(g, read) ? NOBODY : fixed;
}

/* Those that are caught among the ones that are taken to be, and the newest of their reads that are fixed. */
static event_number find_caught(const struct graph *g)
{
    event_number newest = NOBODY;
    for (thread_set left = taken_to_be_caught; left; left &= left - 1) {
        int t = __builtin_ctzl(left);
        fixed_of[t] = fixed_among(g, t);
        if (fixed_of[t] == NOBODY) {
            taken_to_be_caught = without(taken_to_be_caught, t);
            return find_caught(g);
        }
        if (newest == NOBODY || g->events[fixed_of[t]].stamp > g->events[newest].stamp)
            newest = fixed_of[t];
    }
    return newest;
}

/* Did it come in for a read of one of them, behind its fixed one? */
static bool came_in_for_one(const struct graph *g, const struct relations *r, const struct graph_event *event)
{
    for (thread_set left = taken_to_be_caught; left; left &= left - 1) {
        int t = __builtin_ctzl(left);
        if (came_in_for(g, r, event, fixed_of[t], in_round(g, t)))
            return true;
    }
    return false;
}

/* Is all that came in behind a read of theirs, or for it? */
static bool are_newest(const struct graph *g, event_number newest)
{
    static struct relations relations;
    relate(&relations, g);
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        bool later = event->stamp > g->events[newest].stamp || event->write_stamp > g->events[newest].stamp;
        if (event->write_stamp == PENDING)
            return false;
        if (later && !(taken_to_be_caught >> event->thread & 1) && !came_in_for_one(g, &relations, event))
            return false;
    }
    return true;
}

/* Nobody of them writes what lets another one of them pass. */
static bool catch_each_other(const struct graph *g, int thread)
{
    for (int t = 0; t < program_threads_ever(); t++)
        if (in_round(g, t) != NOBODY)
            taken_to_be_caught |= (thread_set)1 << t;
    if (!without(taken_to_be_caught, thread))
        return false;
    event_number newest = find_caught(g);
    if (newest == NOBODY || !are_newest(g, newest))
        return false;
    for (thread_set left = taken_to_be_caught; left; left &= left - 1) {
        fixed_among(g, __builtin_ctzl(left));
        rely_on_others();
        leave_takers(g, in_round(g, __builtin_ctzl(left)));
    }
    return true;
}

/* ---------------------------------------------------------------- what nothing takes back */

/* Does it neither leave its round, nor wait there for ever, if nothing takes back what it has read? */
static bool is_caught_for_good(const struct graph *g, int thread)
{
    event_number read = in_some_round(g, thread);
    if (read == NOBODY || g->events[read].stamp >= may_go || !knows_others(g, thread))
        return false;
    event_number old = outdated_before(g, read);
    if (old == NOBODY)
        return false;
    since_old = reads_since(g, old, read);
    return g->events[read].stuck ? !fails_beyond(g->events[read].situation, since_old) : !can_leave(g, read);
}

static bool find_caught_for_good(const struct graph *g)
{
    may_go = find_what_stays(g);
    for (thread_set left = taken_to_be_caught; left; left &= left - 1) {
        int t = __builtin_ctzl(left);
        if (is_caught_for_good(g, t))
            continue;
        taken_to_be_caught = without(taken_to_be_caught, t);
        return find_caught_for_good(g);
    }
    return taken_to_be_caught;
}

static void rely_on_caught(const struct graph *g)
{
    rely_on_what_stays(g, may_go);
    for (thread_set left = taken_to_be_caught; left; left &= left - 1) {
        int t = __builtin_ctzl(left);
        is_caught_for_good(g, t);
        rely_on_others();
        if (!g->events[in_some_round(g, t)].stuck)
            leave_takers(g, in_some_round(g, t));
    }
}

/* Are there threads that will never leave the rounds in which they are? */
static bool some_are_caught(const struct graph *g)
{
    for (int t = 0; t < program_threads_ever(); t++) {
        event_number read = in_some_round(g, t);
        if (read != NOBODY && outdated_before(g, read) != NOBODY) /* else it is not, and to find that out costs more */
            taken_to_be_caught |= (thread_set)1 << t;
    }
    bool caught = taken_to_be_caught && !has_locks(g) && find_caught_for_good(g);
    if (caught)
        rely_on_caught(g);
    may_go = INT32_MAX;
    taken_to_be_caught = 0;
    return caught;
}

/* ---------------------------------------------------------------- all of it */

/* Is there one that may be fixed? */
static bool has_old(const struct graph *g, event_number read)
{
    while (read != NOBODY && !is_old(g, &g->events[read]))
        read = read_before(g, read);
    return read != NOBODY;
}

static bool nothing_follows(const struct graph *g, event_number read)
{
    if (has_counters(g)) /* SOUND: what a load of one sees is no single write; where loops wait there are none */
        return false;
    const struct graph_event *event = &g->events[read];
    if (!foresees() || !event->reads || event->writes || graph_last_of(g, event->thread) != read)
        return false;
    if (event->stuck && (waits_outdated(g, read) || is_written_again(g, read)))
        return true;
    if (!event->situation || !has_old(g, read) || !knows_others(g, event->thread))
        return false;
    if (event->stuck)
        return waits_too_early(g, read);
    if (catches_itself(g, read))
        return true;
    if (knows_others(g, event->thread) && catches_another(g, read))
        return true;
    bool caught = catch_each_other(g, event->thread);
    taken_to_be_caught = 0;
    return caught;
}

bool is_in_vain(const struct graph *g, event_number read)
{
    settled_begin();
    if (!nothing_follows(g, read))
        return false;
    settled_rely();
    return true;
}

static bool nobody_gets_on(const struct graph *g)
{
    settled_begin();
    if (!foresees() || has_counters(g) || !some_are_caught(g))
        return false;
    settled_rely();
    return true;
}

bool newest_is_in_vain(const struct graph *g)
{
    return g->count && (is_in_vain(g, g->fresh == NOBODY ? g->count - 1 : g->fresh) || nobody_gets_on(g));
}
