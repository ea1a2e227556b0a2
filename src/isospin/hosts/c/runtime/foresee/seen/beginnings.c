#include "foresee/seen/beginnings.h"

#include "explore/arena.h"
#include "foresee/foresee.h"
#include "foresee/seen/operations.h"
#include "foresee/seen/rounds.h"
#include "foresee/seen/spots.h"
#include "graphs/graphs.h"
#include "graphs/growing.h"
#include "mix.h"

#include <string.h>

struct reliance {
    int what;
    uint32_t when;
};

static struct beginning { /* of the events of one thread */
    uint32_t before;
    uint32_t first, other; /* of those that are longer by one event; of those that differ from this one in the last */
    uint64_t last;
    struct to_come *writes; /* that followed it */
    struct reliance *relied;
    struct store_to_come *stores;
    unsigned count, room, relied_count, relied_room, store_count, store_room;
    uint32_t next; /* the operation that followed; 0: none did */
    uint32_t next_when;
    bool several; /* not the same each time */
} *beginnings; /* from 1 on */
static unsigned beginning_count, beginning_room;
static uint32_t noted; /* how much, in all: the time of what is noted next */
static uint32_t *slots;
static unsigned slot_count;
static bool relies; /* on anything */

static uint32_t *slot_of(uint32_t before, uint64_t last)
{
    for (uint64_t at = mix(before, last) >> 20;; at++) {
        uint32_t *slot = &slots[at & (slot_count - 1)];
        if (!*slot || (beginnings[*slot].before == before && beginnings[*slot].last == last))
            return slot;
    }
}

static void more_slots(void)
{
    arena_give(slots, slot_count * sizeof *slots);
    slot_count = slot_count ? slot_count * 2 : 256;
    slots = arena_take(slot_count * sizeof *slots);
    for (uint32_t i = 1; i <= beginning_count; i++)
        *slot_of(beginnings[i].before, beginnings[i].last) = i;
}

static bool is_relied_on(const struct beginning *b, int what)
{
    for (unsigned i = 0; i < b->relied_count; i++)
        if (b->relied[i].what == what)
            return true;
    return false;
}

/* One that was never there; 0: the thread has done nothing before. */
static uint32_t make_beginning(uint32_t before, uint64_t last)
{
    GROW(beginnings, beginning_room, beginning_count + 2);
    struct beginning *b = &beginnings[before];
    beginnings[++beginning_count] = (struct beginning){.before = before, .last = last, .other = before ? b->first : 0};
    if (before ? is_relied_on(b, NO_OTHER_VALUE) : relies) /* else a thread that nobody has reckoned with */
        foresaw_wrongly();
    b->first = before ? beginning_count : 0;
    return beginning_count;
}

static uint32_t beginning_after(uint32_t before, uint64_t last, bool make)
{
    if (beginning_count * 2 >= slot_count)
        more_slots();
    uint32_t *slot = slot_of(before, last);
    if (!*slot && make)
        *slot = make_beginning(before, last);
    return *slot;
}

/* All that an event decides for its own thread. */
static uint64_t described(const struct graph_event *event)
{
    uint64_t name = mix(mix(event->kind, (uint64_t)event->variable), (uint64_t)event->choice);
    name = mix(name, (uint64_t)event->took << 1 | event->reads);
    return event->reads ? mix(mix(name, (uint64_t)event->seen), (uint64_t)(event->seen >> 64)) : name;
}

static void find_roots(uint32_t *found, bool make)
{
    for (int t = 0; t < program_threads_ever(); t++)
        found[t] = beginning_after(0, (uint64_t)t + 1, make);
}

/* From those of the first events of a graph to those of more of them. */
static void follow(const struct graph *g, event_number from, event_number to, uint32_t *at)
{
    for (event_number e = from; e < to; e++) {
        const struct graph_event *event = &g->events[e];
        if (!event->stuck && at[event->thread])
            at[event->thread] = beginning_after(at[event->thread], described(event), false);
    }
}

void find_beginnings(const struct graph *g, uint32_t *found)
{
    static struct { /* of the graph that is being run, but its newest event, which may become another one */
        unsigned run;
        int count;
        uint32_t at[MOST_THREADS];
    } known;
    if (!growing_run(g) || known.run != growing_run(g)) {
        known.run = growing_run(g);
        known.count = 0;
        find_roots(known.at, false);
    }
    int old = g->count ? g->count - 1 : 0;
    follow(g, known.count, old, known.at);
    known.count = old > known.count ? old : known.count;
    memcpy(found, known.at, sizeof known.at);
    follow(g, known.count, g->count, found);
}

void find_beginnings_before(const struct graph *g, int32_t stamp, uint32_t *found)
{
    event_number count = g->count;
    if (stamp >= g->stamps) {
        find_beginnings(g, found);
        return;
    }
    while (count && g->events[count - 1].stamp >= stamp)
        count--;
    find_roots(found, false);
    follow(g, 0, count, found);
}

static bool is_to_come(const struct beginning *b, int32_t variable, uint64_t value)
{
    for (unsigned i = 0; i < b->count; i++)
        if (b->writes[i].variable == variable && b->writes[i].value == value)
            return true;
    return false;
}

/* Is it the contrary of what is relied on? */
static bool belies(int32_t variable, uint64_t value, int what)
{
    if (what < no_store_in(MOST_SPOTS))
        return false;
    return what == NO_WRITE || what == no_write_of(variable) ||
           (what > 0 && read_in(what)->variable == variable && lets_pass(what, value));
}

static bool was_relied_on(const struct beginning *b, int32_t variable, uint64_t value)
{
    for (unsigned i = 0; i < b->relied_count; i++)
        if (belies(variable, value, b->relied[i].what))
            return true;
    return false;
}

static void note_write(uint32_t number, int32_t variable, uint64_t value)
{
    for (; number && !is_to_come(&beginnings[number], variable, value); number = beginnings[number].before) {
        struct beginning *b = &beginnings[number];
        if (was_relied_on(b, variable, value))
            foresaw_wrongly();
        GROW(b->writes, b->room, b->count + 1);
        b->writes[b->count++] = (struct to_come){variable, noted++, value};
    }
}

/* ---------------------------------------------------------------- stores in spots */

static struct store_to_come *store_in(struct beginning *b, int spot)
{
    for (unsigned i = 0; i < b->store_count; i++)
        if (b->stores[i].spot == spot)
            return &b->stores[i];
    return NULL;
}

/* One more spot in which something is stored from here on; false: that was known. */
static bool add_store(struct beginning *b, int spot)
{
    if (store_in(b, spot))
        return false;
    if (is_relied_on(b, no_store_in(spot)))
        foresaw_wrongly();
    GROW(b->stores, b->store_room, b->store_count + 1);
    b->stores[b->store_count++] = (struct store_to_come){.spot = spot, .when = noted++};
    return true;
}

/* So something is stored there from each shorter beginning on, too. */
static void note_ancestors(uint32_t number, int spot)
{
    for (number = beginnings[number].before; number && add_store(&beginnings[number], spot);)
        number = beginnings[number].before;
}

static void note_store(uint32_t number, int spot, uint64_t value, bool several)
{
    struct beginning *b = &beginnings[number];
    add_store(b, spot);
    struct store_to_come *store = store_in(b, spot);
    bool other = several || (store->here && store->value != value);
    if (store->here && store->several >= other)
        return;
    if (other && is_relied_on(b, no_other_store_in(spot)))
        foresaw_wrongly();
    *store = (struct store_to_come){spot, noted++, store->here ? store->value : value, true, other};
    note_ancestors(number, spot);
}

static const struct stored *store_behind(const struct graph_event *event, int spot)
{
    unsigned count;
    const struct stored *stored = spots_end(&count);
    for (unsigned i = 0; i < count; i++)
        if (stored[i].thread == event->thread && stored[i].nth == event->nth && stored[i].spot == spot)
            return &stored[i];
    return NULL;
}

/* What the thread of an event stored behind it. */
static void note_stores(uint32_t number, const struct graph_event *event)
{
    for (int spot = 0; spot_counts(spot); spot++) {
        const struct stored *stored = store_behind(event, spot);
        const struct store_to_come *known = store_in(&beginnings[number], spot);
        if (stored)
            note_store(number, spot, stored->value, false);
        else if (known && known->here)
            note_store(number, spot, known->value, true);
    }
}

const struct store_to_come *stored_after(uint32_t number, int spot) { return store_in(&beginnings[number], spot); }

uint32_t beginning_before(uint32_t number) { return beginnings[number].before; }

/* ---------------------------------------------------------------- what comes next */

static void note_next(uint32_t number, uint32_t next, bool several)
{
    struct beginning *b = &beginnings[number];
    bool other = several || (b->next && b->next != next);
    if (!next || (b->next == next && b->several >= other))
        return;
    if (other && !b->several && is_relied_on(b, NOTHING_ELSE))
        foresaw_wrongly();
    b->next = next;
    b->several |= other;
    b->next_when = noted++;
}

static uint32_t waiting[MOST_THREADS]; /* operations */

void note_waiting(int thread)
{
    struct graph_event event = {.thread = (uint8_t)thread, .variable = NOBODY, .source = NOBODY};
    describe_event(&event, thread);
    waiting[thread] = operation_of(&event);
}

void note_writes(const struct graph *g)
{
    uint32_t at[MOST_THREADS];
    find_roots(at, true);
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        note_next(at[event->thread], operation_of(event), false);
        if (event->stuck)
            continue;
        if (event->place)
            note_write(at[event->thread], event->variable, (uint64_t)event->written);
        at[event->thread] = beginning_after(at[event->thread], described(event), true);
        note_stores(at[event->thread], event);
    }
    for (int t = 0; t < program_threads_ever(); t++) {
        note_next(at[t], waiting[t], false);
        waiting[t] = 0;
    }
}

const struct graph_event *next_after(uint32_t number)
{
    const struct beginning *b = &beginnings[number];
    return number && b->next && !b->several ? operation_numbered(b->next) : NULL;
}

uint32_t beginning_behind(uint32_t number, const struct graph_event *event)
{
    return beginning_after(number, described(event), false);
}

uint32_t first_behind(uint32_t number) { return beginnings[number].first; }

uint32_t other_than(uint32_t number) { return beginnings[number].other; }

void rely_on(uint32_t number, int what)
{
    struct beginning *b = &beginnings[number];
    if (is_relied_on(b, what))
        return;
    GROW(b->relied, b->relied_room, b->relied_count + 1);
    b->relied[b->relied_count++] = (struct reliance){what, noted++};
    relies = true;
}

void rely_on_nothing(void)
{
    relies = false;
    for (uint32_t i = 1; i <= beginning_count; i++)
        beginnings[i].relied_count = 0;
}

const struct to_come *writes_after(uint32_t number, unsigned *count)
{
    *count = beginnings[number].count;
    return beginnings[number].writes;
}

/* ---------------------------------------------------------------- told to another process */

struct told {
    _Alignas(uint64_t) struct noted since; /* as what follows it needs */
    uint32_t beginnings, writes, nexts, stores, relied;
};
struct told_beginning {
    uint64_t last;
    uint32_t before;
};
struct told_fact {
    uint64_t value; /* of a write; of what follows its key */
    uint32_t beginning;
    int32_t what; /* the variable, or whether not only that follows, or the spot, or what is relied on */
    bool here, several; /* of a store */
};

struct noted noted_so_far(void) { return (struct noted){beginning_count, noted}; }

/* Of a list in order of time: how many are older? */
#define OLDER(list, count, time) \
    ({ \
        unsigned older = (count); \
        while (older && (list)[older - 1].when >= (time)) \
            older--; \
        older; \
    })

static bool is_new(const struct beginning *b, uint32_t time) { return b->next && b->next_when >= time; }

static void count_told(struct told *told)
{
    for (uint32_t i = 1; i <= beginning_count; i++) {
        const struct beginning *b = &beginnings[i];
        told->writes += b->count - OLDER(b->writes, b->count, told->since.time);
        told->nexts += is_new(b, told->since.time);
        for (unsigned j = 0; j < b->store_count; j++)
            told->stores += b->stores[j].when >= told->since.time;
        told->relied += b->relied_count - OLDER(b->relied, b->relied_count, told->since.time);
    }
}

static struct told_beginning *beginnings_in(const struct told *told) { return (struct told_beginning *)(told + 1); }

static struct told_fact *writes_in(const struct told *told)
{
    return (struct told_fact *)(beginnings_in(told) + told->beginnings);
}

static struct told_fact *nexts_in(const struct told *told) { return writes_in(told) + told->writes; }

static struct told_fact *stores_in(const struct told *told) { return nexts_in(told) + told->nexts; }

static struct told_fact *relied_in(const struct told *told) { return stores_in(told) + told->stores; }

/* What it saw then of what it relies on: what comes next, or is stored. */
static uint64_t seen_of(const struct beginning *b, int what)
{
    for (unsigned i = 0; i < b->store_count; i++)
        if (what == no_other_store_in(b->stores[i].spot))
            return b->stores[i].value;
    return b->next ? operation_key(b->next) : 0;
}

bool tell_noted(struct noted since, void *room, size_t size)
{
    struct told *told = room;
    *told = (struct told){.since = since, .beginnings = beginning_count - since.beginnings};
    count_told(told);
    struct told_fact *write = writes_in(told), *next = nexts_in(told);
    struct told_fact *store = stores_in(told), *relied = relied_in(told);
    if ((char *)(relied + told->relied) > (char *)room + size)
        return false;
    for (uint32_t i = 1; i <= beginning_count; i++) {
        const struct beginning *b = &beginnings[i];
        if (i > since.beginnings)
            beginnings_in(told)[i - since.beginnings - 1] = (struct told_beginning){b->last, b->before};
        for (unsigned j = OLDER(b->writes, b->count, since.time); j < b->count; j++)
            *write++ = (struct told_fact){b->writes[j].value, i, b->writes[j].variable, false, false};
        if (is_new(b, since.time))
            *next++ = (struct told_fact){operation_key(b->next), i, b->several, false, false};
        for (unsigned j = 0; j < b->store_count; j++)
            if (b->stores[j].when >= since.time)
                *store++ = (struct told_fact){b->stores[j].value, i, b->stores[j].spot, b->stores[j].here,
                                              b->stores[j].several};
        for (unsigned j = OLDER(b->relied, b->relied_count, since.time); j < b->relied_count; j++)
            *relied++ = (struct told_fact){seen_of(b, b->relied[j].what), i, b->relied[j].what, false, false};
    }
    return true;
}

/* Our numbers instead of those of the other process. */
static void translate(struct told *told, const void *rounds)
{
    uint32_t base = told->since.beginnings;
    struct told_beginning *new = beginnings_in(told);
    struct told_fact *facts = writes_in(told);
    for (uint32_t i = 0; i < told->beginnings; i++) {
        uint32_t before = new[i].before > base ? new[new[i].before - base - 1].before : new[i].before;
        new[i].before = beginning_after(before, new[i].last, true); /* now its own number */
    }
    for (uint32_t i = 0; i < told->writes + told->nexts + told->stores + told->relied; i++)
        if (facts[i].beginning > base)
            facts[i].beginning = new[facts[i].beginning - base - 1].before;
    for (uint32_t i = 0; i < told->relied; i++)
        if (relied_in(told)[i].what > 0)
            relied_in(told)[i].what = heard_point(rounds, relied_in(told)[i].what);
}

/* Have we seen something else to follow than the other process relied on? */
static bool goes_on_otherwise(const struct beginning *b, const struct told_fact *relied)
{
    return relied->what == NOTHING_ELSE && b->next && (b->several || operation_key(b->next) != relied->value);
}

/* Was it told of by the other process?  Then it knew of it. */
static bool is_told(const struct told *told, uint32_t number)
{
    for (uint32_t i = 0; i < told->beginnings; i++)
        if (beginnings_in(told)[i].before == number) /* translated */
            return true;
    return false;
}

/* Have we seen a value there that the other process has not? */
static bool saw_another(const struct told *told, const struct told_fact *relied)
{
    if (relied->what != NO_OTHER_VALUE)
        return false;
    for (uint32_t b = first_behind(relied->beginning); b; b = other_than(b))
        if (b > told->since.beginnings && !is_told(told, b))
            return true;
    return false;
}

/* Have we seen something to be stored that the other process relied on not to be? */
static bool stores_otherwise(const struct told *told, const struct beginning *b, const struct told_fact *relied)
{
    for (unsigned i = 0; i < b->store_count; i++) {
        const struct store_to_come *store = &b->stores[i];
        if (relied->what == no_store_in(store->spot) && store->when >= told->since.time)
            return true;
        if (relied->what == no_other_store_in(store->spot) && store->here &&
            (store->several || store->value != relied->value))
            return true;
    }
    return false;
}

/* Did we see a write since then of which the other process relied on there being none? */
static bool relied_wrongly(const struct told *told)
{
    for (uint32_t i = 0; i < told->relied; i++) {
        const struct told_fact *fact = &relied_in(told)[i];
        const struct beginning *b = &beginnings[fact->beginning];
        if (goes_on_otherwise(b, fact) || saw_another(told, fact) || stores_otherwise(told, b, fact))
            return true;
        for (unsigned j = OLDER(b->writes, b->count, told->since.time); j < b->count; j++)
            if (belies(b->writes[j].variable, b->writes[j].value, fact->what))
                return true;
    }
    return false;
}

bool hear_noted(void *room, const void *rounds)
{
    struct told *told = room;
    translate(told, rounds);
    if (relied_wrongly(told))
        return false;
    for (uint32_t i = 0; i < told->writes; i++) {
        const struct told_fact *fact = &writes_in(told)[i];
        note_write(fact->beginning, fact->what, fact->value);
    }
    for (uint32_t i = 0; i < told->nexts; i++) {
        const struct told_fact *fact = &nexts_in(told)[i];
        note_next(fact->beginning, operation_with(fact->value), fact->what);
    }
    for (uint32_t i = 0; i < told->stores; i++) {
        const struct told_fact *fact = &stores_in(told)[i];
        if (fact->here)
            note_store(fact->beginning, fact->what, fact->value, fact->several);
        else if (add_store(&beginnings[fact->beginning], fact->what))
            note_ancestors(fact->beginning, fact->what);
    }
    for (uint32_t i = 0; i < told->relied; i++)
        rely_on(relied_in(told)[i].beginning, relied_in(told)[i].what);
    return true;
}
