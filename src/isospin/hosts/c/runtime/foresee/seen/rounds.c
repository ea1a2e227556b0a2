#include "foresee/seen/rounds.h"

#include "await/await.h"
#include "explore/arena.h"
#include "foresee/foresee.h"
#include "foresee/seen/spots.h"
#include "runtime.h"

static struct situation {
    bool known, changes; /* it was not the same each time */
    int stand; /* the number of where the thread is, however it came there; 0: not known */
    uint32_t when; /* that was noted */
    struct graph_event event; /* what is read there, without a source */
    struct way {
        uint64_t value;
        uint32_t when;
        int next; /* the situation of the next read, or 0: something else follows; of a stand: the next one */
    } *ways;
    unsigned count, room;
    struct plain_way *plain;
    unsigned plain_count, plain_room;
} *situations;
static unsigned situation_room;
static uint32_t noted; /* how many facts: the time of the next one */
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

static bool is_certain(int situation) { return situation_of(situation)->known && !situation_of(situation)->changes; }

int next_of(int situation, uint64_t value)
{
    const struct way *way = situation ? way_of(situation, value) : NULL;
    return way && is_certain(way->next) ? way->next : 0;
}

const struct plain_way *plain_way(int situation, uint64_t value, unsigned nth)
{
    const struct situation *s = situation_of(situation);
    for (unsigned i = 0; i < s->plain_count; i++)
        if (s->plain[i].value == value && is_certain(s->plain[i].next) && !nth--)
            return &situation_of(situation)->plain[i];
    return NULL;
}

bool has_plain_ways(int situation, uint64_t value) { return situation && plain_way(situation, value, 0); }

int situations_ever(void) { return situation_room ? (int)situation_room - 1 : 0; }

bool value_seen_in(int situation, unsigned nth, uint64_t *value)
{
    const struct situation *s = situation_of(situation);
    if (nth < s->count)
        *value = s->ways[nth].value;
    return nth < s->count;
}

uint32_t rounds_known(void) { return noted; }

static void meet(const struct graph_event *event)
{
    struct situation *s = situation_of(event->situation);
    bool same = !s->known || (s->event.variable == event->variable && s->event.initial == event->initial &&
                              (!s->event.point || s->event.point == event->point));
    if (!same && !s->changes)
        foresaw_wrongly();
    if (!s->known || s->event.point != event->point)
        s->when = noted++;
    s->changes |= !same;
    s->known = true;
    s->event = *event;
}

void foresee_meet(const struct graph_event *event)
{
    if (!foresees() || !event->situation)
        return;
    meet(event);
    situation_of(event->situation)->stand = program_stand(event->thread);
}

/* What follows was seen before to be something else, or not.  SOUND: it may be the same with a newer number. */
static int next_beside(int known, int next)
{
    if (known == next || (known && next && program_is_old(known)))
        return next;
    if (known)
        foresaw_wrongly();
    return 0;
}

static void learn_way(int situation, uint64_t value, int next)
{
    struct way *way = way_of(situation, value);
    struct situation *s = situation_of(situation);
    if (way) {
        way->next = next_beside(way->next, next);
        return;
    }
    GROW(s->ways, s->room, s->count + 1);
    s->ways[s->count++] = (struct way){value, noted++, next};
}

/* ---------------------------------------------------------------- ways with plain memory */

/* What the thread has read plainly behind its last atomic read; false: something else, too, or what does not count. */
static bool find_plain(struct plain_way *way, int thread)
{
    const struct spin_read *reads;
    int count = program_plain_reads(thread, &reads);
    for (int i = 0; i < count; i++) {
        int spot = spot_at(reads[i].from, reads[i].size);
        if (spot == NO_SPOT || i == MOST_PLAIN)
            return false;
        way->spot[i].number = spot;
        way->spot[i].value = reads[i].value;
    }
    way->count = count;
    return count > 0;
}

static bool reads_the_same(const struct plain_way *one, const struct plain_way *other)
{
    bool same = one->value == other->value && one->count == other->count;
    for (int i = 0; same && i < one->count; i++)
        same = one->spot[i].number == other->spot[i].number && one->spot[i].value == other->spot[i].value;
    return same;
}

static struct plain_way *same_plain_way(int situation, const struct plain_way *way)
{
    struct situation *s = situation_of(situation);
    for (unsigned i = 0; i < s->plain_count; i++)
        if (reads_the_same(&s->plain[i], way))
            return &s->plain[i];
    return NULL;
}

static void learn_plain_way(int situation, const struct plain_way *way)
{
    struct plain_way *known = same_plain_way(situation, way);
    struct situation *s = situation_of(situation);
    if (known) {
        known->next = next_beside(known->next, way->next);
        return;
    }
    GROW(s->plain, s->plain_room, s->plain_count + 1);
    s->plain[s->plain_count] = *way;
    s->plain[s->plain_count++].when = noted++;
}

static void learn_plain(const struct graph_event *event, int next)
{
    struct plain_way way = {.value = (uint64_t)event->seen, .next = next};
    if (find_plain(&way, event->thread))
        learn_plain_way(event->situation, &way);
}

bool changes(const struct graph_event *event) { return event->writes && event->written != event->seen; }

void foresee_step(const struct graph_event *event)
{
    if (!foresees() || !event->situation || !(event->reads || event->kind == OP_FENCE))
        return;
    bool straight;
    int next = program_situation(event->thread, &straight);
    bool follows = straight && !changes(event);
    int stand = situation_of(event->situation)->stand;
    if (program_leads(event->situation, next)) {
        learn_way(event->situation, (uint64_t)event->seen, follows ? next : 0);
        if (!straight && !changes(event))
            learn_plain(event, next);
    }
    next = follows ? program_stand(event->thread) : 0;
    if (stand && program_leads(stand, next))
        learn_way(stand, (uint64_t)event->seen, next);
}

bool goes_the_same_way(int situation, uint64_t one, uint64_t other)
{
    int stand = situation_of(situation)->stand;
    const struct way *first = stand ? way_of(stand, one) : NULL, *second = stand ? way_of(stand, other) : NULL;
    return first && second && first->next && first->next == second->next;
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
    for (unsigned i = 0; reads > 1 && i < situation_of(situation)->plain_count; i++) {
        int next = situation_of(situation)->plain[i].next;
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

bool fails_beyond(int situation, int reads)
{
    int how, point = read_in(situation)->point;
    return point && await_failed(point, &how) && await_shortest(point) < reads;
}

/* ---------------------------------------------------------------- told to another process */

struct told {
    _Alignas(struct graph_event) struct rounds_noted since; /* as what follows it needs */
    uint32_t points, situations, ways, plain;
};
struct told_point {
    uint64_t situation;
    const void *pc;
};
struct told_situation {
    struct graph_event event;
    int situation;
};
struct told_way {
    uint64_t value;
    int situation, next;
};
struct told_plain_way {
    struct plain_way way;
    int situation;
};

struct rounds_noted rounds_noted_so_far(void) { return (struct rounds_noted){await_points(), noted}; }

static struct told_point *points_in(const struct told *told) { return (struct told_point *)(told + 1); }

static struct told_situation *situations_in(const struct told *told)
{
    return (struct told_situation *)(points_in(told) + told->points);
}

static struct told_way *ways_in(const struct told *told)
{
    return (struct told_way *)(situations_in(told) + told->situations);
}

static struct told_plain_way *plain_in(const struct told *told)
{
    return (struct told_plain_way *)(ways_in(told) + told->ways);
}

static bool is_new(const struct situation *s, uint32_t time) { return s->known && s->when >= time; }

static void count_told(struct told *told)
{
    for (unsigned i = 1; i < situation_room; i++) {
        told->situations += is_new(&situations[i], told->since.time);
        for (unsigned j = 0; j < situations[i].count; j++)
            told->ways += situations[i].ways[j].when >= told->since.time;
        for (unsigned j = 0; j < situations[i].plain_count; j++)
            told->plain += situations[i].plain[j].when >= told->since.time;
    }
}

size_t tell_rounds(struct rounds_noted since, void *room, size_t size)
{
    struct told *told = room;
    *told = (struct told){.since = since, .points = (uint32_t)(await_points() - since.points)};
    count_told(told);
    struct told_situation *situation = situations_in(told);
    struct told_way *way = ways_in(told);
    struct told_plain_way *plain = plain_in(told);
    size_t used = (size_t)((char *)(plain + told->plain) - (char *)room);
    if (used > size)
        return 0;
    for (uint32_t i = 0; i < told->points; i++) {
        int point = since.points + (int)i + 1;
        points_in(told)[i] = (struct told_point){await_situation(point), await_place(point)};
    }
    for (unsigned i = 1; i < situation_room; i++) {
        const struct situation *s = &situations[i];
        if (is_new(s, since.time))
            *situation++ = (struct told_situation){s->event, (int)i};
        for (unsigned j = 0; j < s->count; j++)
            if (s->ways[j].when >= since.time)
                *way++ = (struct told_way){s->ways[j].value, (int)i, s->ways[j].next};
        for (unsigned j = 0; j < s->plain_count; j++)
            if (s->plain[j].when >= since.time)
                *plain++ = (struct told_plain_way){s->plain[j], (int)i};
    }
    return used;
}

int heard_point(const void *room, int point)
{
    const struct told *told = room;
    if (point <= told->since.points)
        return point;
    const struct told_point *new = &points_in(told)[point - told->since.points - 1];
    return await_point(new->situation, new->pc);
}

static void translate(struct told *told)
{
    for (uint32_t i = 0; i < told->situations; i++) {
        struct told_situation *s = &situations_in(told)[i];
        s->situation = s->event.situation = heard_point(told, s->situation);
        s->event.point = heard_point(told, s->event.point);
    }
    for (uint32_t i = 0; i < told->ways; i++) {
        struct told_way *way = &ways_in(told)[i];
        way->situation = heard_point(told, way->situation);
        way->next = heard_point(told, way->next);
    }
    for (uint32_t i = 0; i < told->plain; i++) {
        struct told_plain_way *plain = &plain_in(told)[i];
        plain->situation = heard_point(told, plain->situation);
        plain->way.next = heard_point(told, plain->way.next);
    }
}

/* Did the other process take for certain what we have seen to be otherwise? */
static bool took_for_certain(const struct told *told)
{
    for (uint32_t i = 0; i < told->situations; i++)
        if (situation_of(situations_in(told)[i].situation)->changes)
            return true;
    for (uint32_t i = 0; i < told->ways; i++) {
        const struct told_way *way = &ways_in(told)[i];
        const struct way *known = way_of(way->situation, way->value);
        if (known && way->next && known->next != way->next)
            return true;
    }
    for (uint32_t i = 0; i < told->plain; i++) {
        const struct told_plain_way *plain = &plain_in(told)[i];
        const struct plain_way *known = same_plain_way(plain->situation, &plain->way);
        if (known && plain->way.next && known->next != plain->way.next)
            return true;
    }
    return false;
}

size_t hear_rounds(void *room)
{
    struct told *told = room;
    translate(told);
    if (took_for_certain(told))
        return 0;
    for (uint32_t i = 0; i < told->situations; i++) {
        const struct told_situation *s = &situations_in(told)[i];
        const struct situation *known = situation_of(s->situation);
        /* That a round has failed there may be known to one of the two only. */
        if (!known->known || s->event.point || known->event.variable != s->event.variable)
            meet(&s->event);
    }
    for (uint32_t i = 0; i < told->ways; i++)
        learn_way(ways_in(told)[i].situation, ways_in(told)[i].value, ways_in(told)[i].next);
    for (uint32_t i = 0; i < told->plain; i++)
        learn_plain_way(plain_in(told)[i].situation, &plain_in(told)[i].way);
    return (size_t)((char *)(plain_in(told) + told->plain) - (char *)room);
}
