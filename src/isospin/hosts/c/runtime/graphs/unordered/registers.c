/* Reference: Gibbons, Korach, SICOMP 1997 (is there an order of the writes?); Abdulla, Atig, Jonsson, Lång, Ngo,
 * Sagonas, OOPSLA 2019 (reads-from equivalence; what follows from what is read is added until nothing is new). Differs:
 * where that decides nothing, events are executed one by one as far as possible, and if that fails two writes are tried
 * in both orders.
 */
#include "graphs/unordered/registers.h"

#include "explore/arena.h"
#include "explore/explore.h"
#include "graphs/model.h"
#include "runtime.h"

#include <string.h>

/* ---------------------------------------------------------------- which variables are */

static struct {
    bool wanted, given_up, again, added; /* to anything */
    uint8_t *of; /* each object: a set of these */
    unsigned room, facts;
} known;
enum { USED = 1, ORDINARY = 2, STORED = 4, ADDED = 8 /* shifted by how it commutes */ };

static uint8_t added(int how) { return (uint8_t)(ADDED << (how - 1)); }
enum { ADDED_SOMEHOW = 0xf8, WRITTEN = ADDED_SOMEHOW | STORED };

void registers_open(bool wanted) { known.wanted = wanted && !known.given_up; }

static uint8_t *state_of(int32_t variable)
{
    GROW(known.of, known.room, objects_ever());
    return &known.of[variable];
}

static void know(int32_t variable, uint8_t fact)
{
    uint8_t *state = state_of(variable);
    known.facts += (*state & fact) != fact;
    known.added |= fact & ADDED_SOMEHOW;
    *state |= fact;
}

/* Has its modification order no meaning? */
bool is_unordered(int32_t variable) { return known.wanted && variable >= 0 && !(*state_of(variable) & ORDINARY); }

bool is_counter(int32_t variable) { return is_unordered(variable) && *state_of(variable) & ADDED_SOMEHOW; }

bool has_counters(const struct graph *graph)
{
    for (event_number e = 0; known.added && e < graph->count; e++)
        if (is_counter(graph->events[e].variable))
            return true;
    return false;
}

bool is_register(int32_t variable) { return is_unordered(variable) && !(*state_of(variable) & ADDED_SOMEHOW); }

static void become_ordinary(int32_t variable)
{
    if (!is_unordered(variable))
        return;
    known.again |= *state_of(variable) & USED;
    know(variable, ORDINARY);
}

/* What an access makes of its variable. */
static uint8_t fact_of(const struct graph_event *access)
{
    if (access->point)
        return ORDINARY;
    switch (access->access.change) {
    case LOADS:
        return USED;
    case STORES:
        return USED | STORED;
    default:
        return access->access.commutes ? USED | added(access->access.commutes) : ORDINARY;
    }
}

bool registers_meet(const struct graph_event *access)
{
    uint8_t fact = fact_of(access), ways = (*state_of(access->variable) | fact) & WRITTEN;
    if (fact & ORDINARY || ways & (ways - 1)) /* or it is written in two ways */
        become_ordinary(access->variable);
    else
        know(access->variable, fact);
    return !known.again;
}

void registers_show(uintptr_t from, size_t size, int life)
{
    int32_t variable = known.wanted ? object_number(MEMORY, from, (uint32_t)size, life) : NOBODY;
    if (!is_counter(variable)) /* it has the same value in all orders */
        become_ordinary(variable);
}

void registers_give_up(void)
{
    known.again |= known.wanted;
    known.wanted = false;
    known.facts += !known.given_up;
    known.given_up = true;
}

bool registers_learnt(void)
{
    bool again = known.again;
    known.again = false;
    return again;
}

unsigned registers_known(void) { return known.facts; }

/* ---------------------------------------------------------------- what comes before what */

/* Of each event those that come before it, as a row of bits; one such table for each pair of writes whose order is
 * being tried. */
static struct {
    const struct graph *graph;
    int count, words;
    uint64_t *tables, *done;
    unsigned table_room, done_room;
    uint64_t *before; /* the table in use */
    event_number *last; /* of each variable: what was written last */
    int32_t *places, *left; /* how many writes of a variable there were; of an event: how many have not yet read it */
    unsigned last_room, place_room, left_room;
} my;

static uint64_t *row(event_number e) { return my.before + (size_t)e * (size_t)my.words; }

static bool comes_before(event_number a, event_number b) { return row(b)[a / 64] >> a % 64 & 1; }

static void join(event_number e, event_number before)
{
    uint64_t *own = row(e), *more = row(before);
    for (int i = 0; i < my.words; i++)
        own[i] |= more[i];
    own[before / 64] |= (uint64_t)1 << before % 64;
}

/* One comes before the other, and so does all that comes before it; false: that is a contradiction. */
static bool put_before(event_number a, event_number b)
{
    if (a == b || comes_before(b, a))
        return false;
    if (comes_before(a, b))
        return true;
    for (event_number e = 0; e < my.count; e++)
        if (e == b || comes_before(b, e))
            join(e, a);
    return true;
}

static bool is_done(event_number e) { return my.done[e / 64] >> e % 64 & 1; }

static void put_done(event_number e) { my.done[e / 64] |= (uint64_t)1 << e % 64; }

static void clear_done(void) { memset(my.done, 0, (size_t)my.words * sizeof *my.done); }

static bool is_write(event_number e) { return my.graph->events[e].place != 0; }

#define FOR_EACH_OF(e, variable) for (event_number e = accesses.first[variable]; e != NOBODY; e = accesses.next[e])

static void relate_known(event_number e);

static void follow(event_number e, event_number before)
{
    if (before == NOBODY)
        return;
    relate_known(before);
    join(e, before);
}

/* Program order, sources and chains. */
static void relate_known(event_number e)
{
    const struct graph_event *event = &my.graph->events[e];
    if (is_done(e))
        return;
    put_done(e);
    follow(e, event->previous);
    follow(e, event->source);
    for (int i = 0; i < event->objects; i++)
        follow(e, event->before[i]);
    for (thread_set left = event->joins; left; left &= left - 1)
        follow(e, graph_last_of(my.graph, __builtin_ctzl(left)));
}

/* The modification order of a variable that is no register, and what follows from it. */
static bool relate_places(int32_t variable)
{
    FOR_EACH_OF(w, variable)
    {
        FOR_EACH_OF(e, variable)
        {
            const struct graph_event *event = &my.graph->events[e];
            int32_t next = my.graph->events[w].place;
            bool follows = is_write(w) && e != w && event->place == next - 1 && is_write(e);
            bool passes = is_write(w) && e != w && event->reads && graph_place_of(my.graph, event->source) == next - 1;
            if ((follows || passes) && !put_before(e, w))
                return false;
        }
    }
    return true;
}

/* A load of a counter comes behind what it sees, and before all else that is added. */
static bool relate_counts(int32_t variable)
{
    FOR_EACH_OF(load, variable)
    {
        FOR_EACH_OF(add, variable)
        {
            bool seen = is_in(my.graph->events[load].known, &my.graph->events[add]);
            bool both = my.graph->events[load].reads && is_write(add);
            if (both && !(seen ? put_before(add, load) : put_before(load, add)))
                return false;
        }
    }
    return true;
}

static bool relate_variable(int32_t variable)
{
    return is_register(variable) || (is_counter(variable) ? relate_counts(variable) : relate_places(variable));
}

/* ---------------------------------------------------------------- what follows from what is read */

/* A read of a register, and a write that it does not see: the write comes before what is seen, or after the read, if it
 * comes before the one or after the other. */
static bool keep_apart(event_number read, event_number write, bool *changed)
{
    event_number seen = my.graph->events[read].source;
    bool is_after = seen == NOBODY || comes_before(seen, write);
    if (is_after && !comes_before(read, write)) {
        *changed = true;
        return put_before(read, write);
    }
    if (seen != NOBODY && comes_before(write, read) && !comes_before(write, seen)) {
        *changed = true;
        return put_before(write, seen);
    }
    return true;
}

static bool keep_all_apart(int32_t variable, bool *changed)
{
    FOR_EACH_OF(read, variable)
    {
        if (!my.graph->events[read].reads)
            continue;
        FOR_EACH_OF(write, variable)
        {
            bool other = is_write(write) && write != read && write != my.graph->events[read].source;
            if (other && !keep_apart(read, write, changed))
                return false;
        }
    }
    return true;
}

/* False: there is a contradiction. */
static bool saturate(void)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < accesses.count; i++)
            if (is_register(accesses.variables[i]) && !keep_all_apart(accesses.variables[i], &changed))
                return false;
    }
    return true;
}

/* ---------------------------------------------------------------- one by one */

static bool is_ready(event_number e)
{
    for (int i = 0; i < my.words; i++)
        if (row(e)[i] & ~my.done[i])
            return false;
    return true;
}

/* Does it see what was written last, and does nobody still have to see what it overwrites? */
static bool may_come(event_number e)
{
    const struct graph_event *event = &my.graph->events[e];
    if (event->variable == NOBODY || !is_register(event->variable))
        return true;
    event_number last = my.last[event->variable];
    if (event->reads && event->source != last)
        return false;
    return !is_write(e) || last == NOBODY || my.left[last] == event->reads;
}

static void come(struct graph *g, event_number e)
{
    struct graph_event *event = &g->events[e];
    put_done(e);
    if (event->variable == NOBODY || !is_register(event->variable))
        return;
    if (event->reads && event->source != NOBODY)
        my.left[event->source]--;
    if (!is_write(e))
        return;
    my.last[event->variable] = e;
    event->place = ++my.places[event->variable];
}

/* All events in an order in which each read sees what it should, as far as one is found by taking whatever comes next;
 * true: it is complete, and writes have their places. */
static bool execute(struct graph *g)
{
    clear_done();
    memset(my.left, 0, (size_t)my.count * sizeof *my.left);
    for (int i = 0; i < accesses.count; i++) {
        my.last[accesses.variables[i]] = NOBODY;
        my.places[accesses.variables[i]] = 0;
    }
    for (event_number e = 0; e < my.count; e++)
        if (g->events[e].source != NOBODY && is_register(g->events[e].variable))
            my.left[g->events[e].source]++; /* who sees what was there at first comes before all writes anyway */
    int left = my.count;
    for (bool went_on = true; left && went_on;) {
        went_on = false;
        for (event_number e = 0; e < my.count; e++)
            if (!is_done(e) && is_ready(e) && may_come(e)) {
                come(g, e);
                left--;
                went_on = true;
            }
    }
    return !left;
}

/* ---------------------------------------------------------------- two writes in both orders */

static bool is_read(event_number write, int32_t variable)
{
    FOR_EACH_OF(read, variable)
    if (my.graph->events[read].reads && my.graph->events[read].source == write)
        return true;
    return false;
}

/* SOUND: if all pairs with a write that is read are in order, taking whatever comes next does not fail. */
static bool find_pair_of(int32_t variable, event_number *one, event_number *other)
{
    FOR_EACH_OF(a, variable)
    {
        if (!is_write(a) || !is_read(a, variable))
            continue;
        FOR_EACH_OF(b, variable)
        if (is_write(b) && a != b && !comes_before(a, b) && !comes_before(b, a)) {
            *one = a;
            *other = b;
            return true;
        }
    }
    return false;
}

static bool find_pair(event_number *one, event_number *other)
{
    for (int i = 0; i < accesses.count; i++)
        if (is_register(accesses.variables[i]) && find_pair_of(accesses.variables[i], one, other))
            return true;
    return false;
}

static void use_table(int depth)
{
    size_t size = (size_t)my.count * (size_t)my.words;
    GROW(my.tables, my.table_room, size * (size_t)(depth + 1));
    my.before = my.tables + size * (size_t)depth;
    if (depth)
        memcpy(my.before, my.before - size, size * sizeof *my.before);
    else
        memset(my.before, 0, size * sizeof *my.before);
}

static bool find_order(struct graph *g, int depth)
{
    event_number one, other;
    if (search_is_over() || !saturate())
        return false;
    if (execute(g))
        return true;
    if (!find_pair(&one, &other))
        return false;
    for (int swapped = 0; swapped < 2; swapped++) {
        use_table(depth + 1);
        if (put_before(swapped ? other : one, swapped ? one : other) && find_order(g, depth + 1))
            return true;
        my.before = my.tables + (size_t)my.count * (size_t)my.words * (size_t)depth;
    }
    return false;
}

static void begin(const struct graph *g)
{
    my.graph = g;
    my.count = g->count;
    my.words = (g->count + 63) / 64;
    GROW(my.done, my.done_room, my.words);
    GROW(my.left, my.left_room, g->count);
    GROW(my.last, my.last_room, objects_ever());
    GROW(my.places, my.place_room, objects_ever());
    use_table(0);
}

static bool any_accessed(void)
{
    for (int i = 0; i < accesses.count; i++)
        if (is_register(accesses.variables[i]))
            return true;
    return false;
}

bool registers_fit(struct graph *g)
{
    if (!any_accessed())
        return false;
    begin(g);
    clear_done();
    for (event_number e = 0; e < g->count; e++)
        relate_known(e);
    for (int i = 0; i < accesses.count; i++)
        if (!relate_variable(accesses.variables[i]))
            return false;
    return find_order(g, 0);
}
