#include "foresee/rounds.h"

#include "await/await.h"
#include "explore/arena.h"
#include "foresee/foresee.h"

static struct situation {
    bool known, changes; /* it was not the same each time */
    struct graph_event event; /* what is read there, without a source */
    struct way {
        uint64_t value;
        int next; /* the situation of the next read, or 0: something else follows */
    } *ways;
    unsigned count, room;
} *situations;
static unsigned situation_room;
enum { MOST_LOOKED_AT = 64 }; /* situations; beyond that a round may fail */

static struct situation *situation_of(int number)
{
    GROW(situations, situation_room, number + 1);
    return &situations[number];
}

static struct way *way_of(int situation, uint64_t value)
{
    struct situation *s = situation_of(situation);
    for (unsigned i = 0; i < s->count; i++)
        if (s->ways[i].value == value)
            return &s->ways[i];
    return NULL;
}

int next_of(int situation, uint64_t value)
{
    const struct way *way = situation ? way_of(situation, value) : NULL;
    return way && situation_of(way->next)->known && !situation_of(way->next)->changes ? way->next : 0;
}

void foresee_meet(const struct graph_event *event)
{
    if (!foresees() || !event->situation)
        return;
    struct situation *s = situation_of(event->situation);
    bool same =
        !s->known || (s->event.variable == event->variable && (!s->event.point || s->event.point == event->point));
    if (!same && !s->changes)
        foresaw_wrongly();
    s->changes |= !same;
    s->known = true;
    s->event = *event;
}

static void learn_way(int situation, uint64_t value, int next)
{
    struct way *way = way_of(situation, value);
    struct situation *s = situation_of(situation);
    if (way) {
        if (way->next && way->next != next)
            foresaw_wrongly();
        way->next = way->next == next ? next : 0;
        return;
    }
    GROW(s->ways, s->room, s->count + 1);
    s->ways[s->count++] = (struct way){value, next};
}

bool changes(const struct graph_event *event) { return event->writes && event->written != event->seen; }

void foresee_step(const struct graph_event *event)
{
    if (!foresees() || !event->situation || !event->reads)
        return;
    bool straight;
    int next = program_situation(event->thread, &straight);
    learn_way(event->situation, (uint64_t)event->seen, straight && !changes(event) ? next : 0);
}

const struct graph_event *read_in(int situation) { return &situation_of(situation)->event; }

bool lets_pass(int situation, uint64_t value)
{
    int how, point = read_in(situation)->point;
    return !point || !await_fails(point, value, &how);
}

/* One more of a number of situations that may be looked at. */
static bool fails_within(int situation, int reads, int *left)
{
    int how;
    const struct situation *s = situation_of(situation);
    if ((s->event.point && await_failed(s->event.point, &how)) || --*left < 0)
        return true;
    for (unsigned i = 0; reads > 1 && i < situation_of(situation)->count; i++) {
        int next = next_of(situation, situation_of(situation)->ways[i].value);
        if (next && fails_within(next, reads - 1, left))
            return true;
    }
    return false;
}

bool may_fail_within(int situation, int reads)
{
    int left = MOST_LOOKED_AT;
    return fails_within(situation, reads, &left);
}
