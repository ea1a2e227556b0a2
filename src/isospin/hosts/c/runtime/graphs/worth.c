/* Would a search over execution graphs do better than the one over schedules?  It hardly blocks, and what nobody reads
 * has no order there (registers.h).  But it takes longer for each execution: where only little speaks for it, it is
 * tried in another process while this one waits, and given up if there are more than a few.
 *
 * Decided by the first executions, which one process makes, in order, also where several are asked for: so each run
 * says the same.
 */
#include "explore/arena.h"
#include "explore/search.h"
#include "mix.h"
#include "race/race.h"
#include "wire/message.h"

#include <string.h>

enum {
    FIRST = 512 /* executions, also blocked ones */,
    MANY_BLOCKED = 300,
    TIMES_BLOCKED = 4,
    TIMES_TRIED = 2,
    MOST_IN_VAIN = 1024
};
enum { SOME_BLOCKED = 32, TIMES_WAITED = 2, SAMPLE = 64, TIMES_READ = 2, TIMES_FOLDED = 4, LONGEST = 256 };
enum { FEW_BLOCKED = 4, ENOUGH_BLOCKED = 64, PART_WAITED = 32 /* one of so many */, SOME_IMAGES = 16, FEWEST = 4 };

/* Has most of what was tried led to what was explored already?  Who wants all errors, or leaks, does so for longer;
 * half as much is enough where graphs were seen to have hardly any of that. */
static bool leads_nowhere(const struct search *s)
{
    int many = s->stops_at_unread ? ENOUGH_BLOCKED : MANY_BLOCKED;
    int times = s->graphs_are_clean ? TIMES_TRIED : TIMES_BLOCKED;
    return s->blocked >= many && s->blocked > times * s->executions;
}

static bool has_awaits(const struct trail *trail)
{
    for (int i = 0; i < trail->count; i++)
        if (trail->events[i].await)
            return true;
    return false;
}

/* Do most executions end in a round of a loop that cannot be left?  Over graphs it is known before (foresee/foresee.h).
 * Where it was seen that hardly any end so there, two beside five that do not are enough: later there are more. */
static bool waits_in_vain(const struct search *s)
{
    bool many = s->graphs_are_clean ? 5 * s->blocked > 2 * s->executions : s->blocked > TIMES_WAITED * s->executions;
    return many && s->blocked >= SOME_BLOCKED && s->depth <= LONGEST && has_awaits(&s->trail);
}

/* Is so much given up that graphs are worth a try?  What ends in a loop that waits counts for more. */
static bool gives_up_often(const struct search *s)
{
    if (s->executions > SAMPLE || s->depth > LONGEST)
        return false;
    bool waits = s->blocked >= FEW_BLOCKED && s->blocked * PART_WAITED > s->executions;
    return (waits && (s->held || has_awaits(&s->trail))) ||
           (s->blocked >= SOME_IMAGES && s->blocked > TIMES_TRIED * s->executions);
}

static bool is_folded(const struct search *s) { return s->symmetry.skipped || s->symmetry.covered; }

/* ---------------------------------------------------------------- what was read in an execution */

static struct location {
    struct span span;
    bool ordered; /* the order of its writes counts, too */
    bool written;
    uint8_t commutes; /* how its writes do, if all do in the same way */
    uint64_t last; /* a name of the event that wrote it last; 0: none did */
} *locations;
static unsigned location_count, location_room;
static uint64_t sample[SAMPLE];
static int different; /* of these */

static struct location *location_of(const struct span *span)
{
    for (unsigned i = 0; i < location_count; i++)
        if (locations[i].span.space == span->space && locations[i].span.from == span->from &&
            locations[i].span.size == span->size)
            return &locations[i];
    GROW(locations, location_room, location_count + 1);
    locations[location_count] = (struct location){.span = *span, .ordered = span->space != MEMORY};
    return &locations[location_count++];
}

/* Who waits sees an order, and so does an update whose result somebody looks at; or one beside other writes. */
static void look_at(struct location *location, const struct span *span, bool sees)
{
    location->ordered |= sees && !span->commutes;
    if (!span->writes)
        return;
    location->ordered |= location->written && location->commutes != span->commutes;
    location->written = true;
    location->commutes |= span->commutes;
}

static void find_ordered(const struct trail *trail)
{
    for (int i = 0; i < trail->count; i++) {
        const struct operation *op = &action(trail->events[i].action)->op;
        for (int j = 0; j < op->spans; j++)
            look_at(location_of(&op->span[j]), &op->span[j], op->kind == OP_UPDATE || trail->events[i].await);
    }
}

/* A number for which write each read has seen, whatever the order of events. */
static uint64_t what_is_read(const struct trail *trail)
{
    uint64_t all = 0, nth[MOST_THREADS] = {0};
    for (unsigned i = 0; i < location_count; i++)
        locations[i].last = 0;
    for (int i = 0; i < trail->count; i++) {
        const struct event *event = &trail->events[i];
        const struct operation *op = &action(event->action)->op;
        uint64_t name = (uint64_t)(event->thread + 1) << 32 | ++nth[event->thread];
        for (int j = 0; j < op->spans; j++) {
            struct location *location = location_of(&op->span[j]);
            if (location->ordered || (op->kind != OP_WRITE && !op->span[j].commutes))
                all += mix(mix(name, location->last), (uint64_t)j);
            if (op->span[j].writes)
                location->last = name;
        }
    }
    return all;
}

/* Additions have no order over schedules, and have one over graphs if their variable is no counter (registers.h). */
static bool has_ordered_additions(void)
{
    for (unsigned i = 0; i < location_count; i++)
        if (locations[i].ordered && locations[i].commutes)
            return true;
    return false;
}

static void take_sample(const struct search *s)
{
    int last = (int)s->executions - 1, same = 0;
    if (last == 0) /* the search may have started again */
        location_count = different = 0;
    find_ordered(&s->trail);
    sample[last] = what_is_read(&s->trail);
    while (sample[same] != sample[last])
        same++;
    different += same == last;
}

/* Do most of the first executions differ in orders that nobody sees?  Where executions are long, graphs may do worse
 * all the same.  Where threads were folded, more of them have to show the same: graphs do without either.  A few
 * executions say enough for a try. */
static const char *shows_little(const struct search *s)
{
    if (s->executions > SAMPLE || s->executions < 1)
        return NULL;
    take_sample(s);
    if (s->depth > LONGEST || has_ordered_additions())
        return NULL;
    int times = is_folded(s) ? TIMES_FOLDED : TIMES_READ;
    bool little = s->executions >= FEWEST && different * times <= s->executions;
    if (s->executions < SAMPLE)
        return little && s->tries ? INCOMPLETE_REPEATED : NULL;
    return little ? INCOMPLETE_UNREAD : NULL;
}

static bool is_never_alike(const struct search *s) { return s->symmetric && !s->symmetry.successes; }

/* SOUND: nothing was left out so far, so nothing of what nodes remember for that is needed, nor what the race detector
 * notes for comparisons. */
bool search_asks_in_vain(struct search *s)
{
    bool early = !s->jobs.own && s->executions + s->blocked < FIRST;
    if (!early || !is_never_alike(s) || s->symmetry.checks < MOST_IN_VAIN)
        return false;
    s->symmetric = false;
    race_without_symmetry();
    s->again = true; /* and sequences are followed from the start */
    for (int i = 0; i < s->height; i++)
        orbit_clear(s->stack[i]);
    return true;
}

bool search_is_undecided(const struct search *s)
{
    bool wonders = s->stops_at_blocked || (s->stops_at_unread && s->executions < SAMPLE) || is_never_alike(s) ||
                   (option("stops_at_waits") && s->depth <= LONGEST); /* loops that wait may be seen later */
    return wonders && !s->jobs.own && s->executions + s->blocked < FIRST;
}

/* Why the search is to be given up, or NULL. */
static const char *better_over_graphs(const struct search *s, bool counts)
{
    if (s->stops_at_blocked && leads_nowhere(s))
        return INCOMPLETE_BLOCKED;
    if (waits_in_vain(s) && option("stops_at_waits"))
        return INCOMPLETE_BLOCKED;
    return s->stops_at_unread && counts ? shows_little(s) : NULL;
}

static bool is_decided(const struct search *s) { return s->over || s->jobs.own || s->executions + s->blocked > FIRST; }

/* Whoever asked for this search tries graphs meanwhile; if they need more than a few executions, it goes on. */
static void try_graphs(struct search *s, const char *why)
{
    s->tries = false; /* once */
    message_begin(MESSAGE_WONDERS);
    message_text("why", why);
    message_end();
    const char *answer = message_receive();
    s->graphs_are_clean = answer && !strcmp(answer, TRIED_CLEAN);
    if (!answer || !strcmp(answer, TRIED_DONE))
        search_stop(s, why);
}

void search_reconsider(struct search *s, bool counts)
{
    const char *why = is_decided(s) ? NULL : better_over_graphs(s, counts);
    if (why && !strcmp(why, INCOMPLETE_REPEATED))
        try_graphs(s, why);
    else if (why)
        search_stop(s, why);
    search_wonder(s);
}

void search_wonder(struct search *s)
{
    if (!is_decided(s) && s->tries && gives_up_often(s))
        try_graphs(s, INCOMPLETE_GIVEN_UP);
}
