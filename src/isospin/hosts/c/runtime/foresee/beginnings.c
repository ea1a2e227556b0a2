#include "foresee/beginnings.h"

#include "explore/arena.h"
#include "foresee/foresee.h"
#include "foresee/rounds.h"
#include "mix.h"

static struct beginning { /* of the events of one thread */
    uint32_t before;
    uint64_t last;
    struct to_come *writes; /* that followed it */
    int *relied; /* on what */
    unsigned count, room, relied_count, relied_room;
} *beginnings; /* from 1 on */
static unsigned beginning_count, beginning_room;
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

static uint32_t beginning_after(uint32_t before, uint64_t last, bool make)
{
    if (beginning_count * 2 >= slot_count)
        more_slots();
    uint32_t *slot = slot_of(before, last);
    if (!*slot && make) {
        GROW(beginnings, beginning_room, beginning_count + 2);
        beginnings[++beginning_count] = (struct beginning){.before = before, .last = last};
        *slot = beginning_count;
        if (!before && relies) /* a thread that nobody has reckoned with */
            foresaw_wrongly();
    }
    return *slot;
}

/* All that an event decides for its own thread. */
static uint64_t name_of(const struct graph_event *event)
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

void find_beginnings(const struct graph *g, uint32_t *found)
{
    find_roots(found, false);
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (!event->stuck && found[event->thread])
            found[event->thread] = beginning_after(found[event->thread], name_of(event), false);
    }
}

static bool is_to_come(const struct beginning *b, int32_t variable, uint64_t value)
{
    for (unsigned i = 0; i < b->count; i++)
        if (b->writes[i].variable == variable && b->writes[i].value == value)
            return true;
    return false;
}

static bool was_relied_on(const struct beginning *b, int32_t variable, uint64_t value)
{
    for (unsigned i = 0; i < b->relied_count; i++)
        if (b->relied[i] == NO_WRITE || b->relied[i] == no_write_of(variable) ||
            (b->relied[i] > 0 && read_in(b->relied[i])->variable == variable && lets_pass(b->relied[i], value)))
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
        b->writes[b->count++] = (struct to_come){variable, value};
    }
}

void note_writes(const struct graph *g)
{
    uint32_t at[MOST_THREADS];
    find_roots(at, true);
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        if (event->stuck)
            continue;
        if (event->place)
            note_write(at[event->thread], event->variable, (uint64_t)event->written);
        at[event->thread] = beginning_after(at[event->thread], name_of(event), true);
    }
}

void rely_on(uint32_t number, int what)
{
    struct beginning *b = &beginnings[number];
    for (unsigned i = 0; i < b->relied_count; i++)
        if (b->relied[i] == what)
            return;
    GROW(b->relied, b->relied_room, b->relied_count + 1);
    b->relied[b->relied_count++] = what;
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
